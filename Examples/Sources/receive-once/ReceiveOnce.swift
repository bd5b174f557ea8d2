import Encodings
import Keystore
import SecureMemory
import SessionStore
import Threema
import ThreemaMessages

/// Makes a keystore with two identities. The first run stores a message of one of them and sends it. Every run delivers
/// it to the other one, as a server does that has got no acknowledgement: it is received in the first run only.
///
///     echo 'PASSPHRASE' | receive-once DIR
@main
struct ReceiveOnce {
    static func main() throws {
        guard CommandLine.arguments.count == 2, let line = readLine(), !line.isEmpty else {
            return print("usage: echo 'PASSPHRASE' | receive-once DIR")
        }
        let passphrase = SecureBytes(copying: Array(line.utf8).span)
        let keystore = try OpenKeystore.openOrCreate(at: CommandLine.arguments[1], passphrase: passphrase)
        try add(["000ALICE", "00000BOB"], to: keystore)
        let alice = try Account("000ALICE", in: keystore)
        let bob = try Account("00000BOB", in: keystore)

        if try alice.store.read("queue", bob.id.bytes) == nil {
            let keys = try ContactKeys(own: alice.identity.clientKey, contact: bob.identity.clientKey.publicKey)
            try alice.send("Hello", to: bob.id, keys: keys)
        }
        guard let payload = try alice.store.read("queue", bob.id.bytes) else { return print("nothing to send") }
        let contact = alice.identity.clientKey.publicKey
        print(try payload.withBytes { try bob.receive($0, from: contact) })
        print("messages of Alice: \(try bob.store.read("session", alice.id.bytes)?.withBytes { $0[0] } ?? 0)")
        bob.store.close()
        alice.store.close()
    }

    static func add(_ ids: [String], to keystore: OpenKeystore) throws {
        for id in ids {
            guard let owner = Owner(messenger: "threema", id: id) else { return }
            guard try !keystore.identities().contains(owner) else { continue }
            let identity = Identity(id: try ThreemaID(id), clientKey: .random())
            try keystore.add(owner) { records in
                try identity.encoded().withBytes { try records.write("identity", $0) }
            }
        }
    }
}

/// The used nonces that `IncomingPipeline` and `Message.seal` ask for, in a session store.
struct StoredNonces: UsedNonces {
    let replay: ReplayStore
    let store: OpenSessionStore

    func contains(_ digest: NonceDigest) throws(SessionStoreError) -> Bool {
        try replay.contains(digest: digest.bytes, in: store)
    }
}
