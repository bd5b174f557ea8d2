internal import Synchronization

/// The memory for answers, of which each client has a share. Uploads have another one (`UploadMemory`): who restores a
/// backup never waits for them.
final class BodyMemory: Sendable {
    private struct Used {
        var all = 0
        var clients: [String: Int] = [:]

        mutating func give(back bytes: Int, of client: String) {
            all -= bytes
            let rest = (clients[client] ?? 0) - bytes
            clients[client] = rest > 0 ? rest : nil
        }
    }

    private let used = Mutex(Used())
    private let limit: Int
    private let share: Int

    /// - Parameters:
    ///   - limit: in bytes.
    ///   - largest: the longest body, in bytes. No share is smaller.
    init(limit: Int, largest: Int) {
        self.limit = limit
        share = max(limit / Self.shares, largest)
    }

    /// One client has one in this many parts of the memory.
    static let shares = 4

    /// - Returns: false if the client, or all together, have no room for these bytes. If true, `give(back:of:)` has
    ///   to follow.
    func take(_ bytes: Int, for client: String) -> Bool {
        guard bytes > 0 else { return true }
        return used.withLock { used in
            let own = used.clients[client] ?? 0
            // A stored backup may be longer than an upload may be today.
            guard used.all + bytes <= limit, own == 0 || own + bytes <= share else { return false }
            used.all += bytes
            used.clients[client] = own + bytes
            return true
        }
    }

    func give(back bytes: Int, of client: String) {
        guard bytes > 0 else { return }
        used.withLock { $0.give(back: bytes, of: client) }
    }
}
