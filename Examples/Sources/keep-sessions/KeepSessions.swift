import Keystore
import SecureMemory
import SessionStore

/// Makes a keystore with one identity, and counts the messages of a session in the identity's session store.
///
///     echo 'PASSPHRASE' | keep-sessions DIR
@main
struct KeepSessions {
    static func main() throws {
        guard CommandLine.arguments.count == 2, let line = readLine(), !line.isEmpty else {
            return print("usage: echo 'PASSPHRASE' | keep-sessions DIR")
        }
        guard let owner = Owner(messenger: "example", id: "alice") else { return print("not a name of a directory") }
        let passphrase = SecureBytes(copying: Array(line.utf8).span)
        let keystore = try OpenKeystore.openOrCreate(at: CommandLine.arguments[1], passphrase: passphrase)
        if try !keystore.identities().contains(owner) { try keystore.add(owner) { _ in } }

        let identity = try keystore.lockedIdentity(owner, wait: .seconds(5))
        let store = try store(of: identity, in: keystore)
        try send("hello", to: "bob", store)
        let isSending = try store.contains("sending", Array("bob".utf8))
        store.close()
        print("queued: 1, session is there: \(isSending)")
    }

    /// The identity's lock is held until the store is closed.
    static func store(of identity: borrowing LockedIdentity, in keystore: OpenKeystore) throws -> OpenSessionStore {
        let owner = identity.records.owner
        let key = keystore.digestKey("sessions")
        let store = try identity.withDirectory { directory in
            try OpenSessionStore(in: directory, messenger: owner.messenger, id: owner.id, key: key)
        }
        // A copy of the file may be in use elsewhere: what would be used twice goes.
        if store.origin == .copied { try store.adopt { try $0.removeAll("sending") } }
        return store
    }

    /// Message and session change together.
    static func send(_ message: String, to contact: String, _ store: OpenSessionStore) throws {
        let name = Array(contact.utf8)
        try store.transaction { changes in
            let counter = try store.read("sending", name)?.withBytes { $0[0] } ?? 0
            try changes.set("sending", name, [counter &+ 1].span)
            try changes.set("queue", name, Array(message.utf8).span)
        }
    }
}
