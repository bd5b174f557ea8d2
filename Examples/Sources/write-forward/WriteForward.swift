import Encodings
import Keystore
import SecureMemory
import SessionStore
import Threema
import ThreemaForwardSecurity
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
        try alice.takeIntoUse()
        try bob.takeIntoUse()
        try alice.seal("Hello, Bob")
        try deliver(from: alice, to: bob)
        try bob.seal("Hello, Alice")
        try deliver(from: bob, to: alice)
        try deliver(from: alice, to: bob)
        alice.store.close()
        bob.store.close()
    }

    /// What a chat server does. A message leaves the outbox when the server has it.
    static func deliver(from sender: borrowing Account, to receiver: borrowing Account) throws {
        while let (number, payload) = try sender.firstUnsent() {
            let text = try receiver.receive(payload.span)
            try sender.sent(number)
            if let text { print(text) }
        }
    }

    static func add(_ id: String, to keystore: OpenKeystore) throws {
        guard let owner = Owner(messenger: "threema", id: id) else { return }
        guard try !keystore.identities().contains(owner) else { return }
        // Both public keys are in the same keystore here. Elsewhere the directory has the contact's.
        let identity = Identity(id: try ThreemaID(id), clientKey: .random())
        try keystore.add(owner) { records in
            try identity.encoded().withBytes { try records.write("identity", $0) }
        }
    }
}
