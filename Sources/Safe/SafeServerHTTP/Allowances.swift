internal import Synchronization

/// How many connections each client has.
final class ConnectionCount: Sendable {
    private let open = Mutex<[String: Int]>([:])
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// - Returns: false if the client has too many already. If true, `close` has to follow.
    func open(_ client: String) -> Bool {
        open.withLock { open in
            let count = open[client] ?? 0
            guard count < limit else { return false }
            open[client] = count + 1
            return true
        }
    }

    func close(_ client: String) {
        open.withLock { open in
            let count = open[client] ?? 0
            open[client] = count > 1 ? count - 1 : nil
        }
    }
}

/// The memory for bodies.
final class BodyMemory: Sendable {
    private let used = Atomic<Int>(0)
    private let limit: Int

    /// - Parameter limit: in bytes.
    init(limit: Int) { self.limit = limit }

    /// - Returns: false if there is no room for so many bytes. If true, `give(back:)` has to follow.
    func take(_ bytes: Int) -> Bool {
        if used.wrappingAdd(bytes, ordering: .relaxed).newValue <= limit { return true }
        give(back: bytes)
        return false
    }

    func give(back bytes: Int) {
        used.wrappingSubtract(bytes, ordering: .relaxed)
    }
}
