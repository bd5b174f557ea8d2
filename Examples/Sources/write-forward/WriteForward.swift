import Encodings
import Keystore
import SecureMemory
import SessionStore
import Threema
import ThreemaClient
import ThreemaMessages

/// Makes a keystore with two identities. In every run they send each other a message and tell what protects it. The
/// sessions stay in the keystore: the first message is protected by the keys of one side, all later ones by those of
/// both.
///
///     echo 'PASSPHRASE' | write-forward DIR
@main
struct WriteForward {
    static func main() throws {
        guard CommandLine.arguments.count == 2, let line = readLine(), !line.isEmpty else {
            return print("usage: echo 'PASSPHRASE' | write-forward DIR")
        }
        let passphrase = SecureBytes(copying: Array(line.utf8).span)
        let keystore = try OpenKeystore.openOrCreate(at: CommandLine.arguments[1], passphrase: passphrase)
        for id in ["000ALICE", "00000BOB"] { try add(id, to: keystore) }
        let alice = try Account("000ALICE", writingTo: "00000BOB", in: keystore)
        let bob = try Account("00000BOB", writingTo: "000ALICE", in: keystore)
        try alice.mailbox.send(.chat(.text("Hello, Bob")), to: bob.mailbox.id)
        try deliver(from: alice.mailbox, to: bob.mailbox)
        try bob.mailbox.send(.chat(.text("Hello, Alice")), to: alice.mailbox.id)
        try deliver(from: bob.mailbox, to: alice.mailbox)
        try deliver(from: alice.mailbox, to: bob.mailbox)
        alice.mailbox.store.close()
        bob.mailbox.store.close()
    }

    /// What a chat server does. A message leaves the outbox when the server has it.
    static func deliver(from sender: Mailbox, to receiver: Mailbox) throws {
        for message in try sender.unsent() {
            let payload = message.payload.encoded
            let incoming = try receiver.receive(payload.span)
            try sender.acknowledged(message.payload.receiver, message.payload.id)
            guard case .chat(.text(let text)) = incoming.message?.body else { continue }
            print("\(receiver.id) reads: \(text) (\(incoming.protection == .fourDH ? "4DH" : "2DH"))")
        }
    }

    static func add(_ id: String, to keystore: OpenKeystore) throws {
        guard let owner = Owner(messenger: "threema", id: id) else { return }
        guard try !keystore.identities().contains(owner) else { return }
        let identity = Identity(id: try ThreemaID(id), clientKey: .random())
        try keystore.add(owner) { records in
            try identity.encoded().withBytes { try records.write("identity", $0) }
        }
    }
}
