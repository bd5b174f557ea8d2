import AtomicFiles
import Encodings
import SecureMemory
import SessionStore
import Threema
import ThreemaClient
import ThreemaMessages

/// An identity. A real one comes from a keystore, as its store's key does (write-forward).
struct Person {
    let id: ThreemaID
    let publicKey: PublicKey
    private let key: EnclosedKey

    init(_ id: String) throws {
        self.id = try ThreemaID(id)
        key = EnclosedKey.random()
        publicKey = ClientKey(key.bytes.withBytes { SecureBytes(copying: $0) }).publicKey
    }

    var identity: Identity { Identity(id: id, clientKey: ClientKey(key.bytes.withBytes { SecureBytes(copying: $0) })) }

    func mailbox(in path: String, knowing other: Person) throws -> Mailbox {
        try Directory.make(path)
        let store = try OpenSessionStore(
            in: Directory.open(path, rule: .secret), messenger: "threema", id: id.text, key: EnclosedKey.random().bytes)
        let mailbox = try Mailbox(identity, in: store, now: { Timestamp(milliseconds: 1_700_000_000_000) })
        try mailbox.set(Contact(other.id, other.publicKey))
        return mailbox
    }
}
