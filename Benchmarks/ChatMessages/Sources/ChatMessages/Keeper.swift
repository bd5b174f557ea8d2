import AtomicFiles
import SecureMemory
import SessionStore

/// The store of a receiver: many messages and their nonces in one transaction.
final class Keeper {
    private let store: OpenSessionStore
    private let replay = ReplayStore(ownID: "00000BOB")
    private(set) var commits = 0

    /// - Parameter directory: 0700.
    init(in directory: String) throws {
        let key = SecureBytes(copying: [UInt8](repeating: 0x5a, count: 32).span)
        store = try OpenSessionStore(
            in: Directory.open(directory, rule: .secret), messenger: "threema", id: "00000BOB", key: key)
    }

    func keep(_ messages: [[UInt8]]) throws {
        try store.transaction { changes in
            for message in messages {
                // Sender and ID. All messages have one nonce here, so the ID is what is remembered.
                let name = Array(message[0..<8] + message[16..<24])
                try replay.remember(name + [UInt8](repeating: 0, count: 8), in: changes)
                try changes.set("message", name, message.span)
            }
        }
        commits += 1
    }

    func stored() -> Int { (try? store.count(of: "message")) ?? -1 }
}
