import Encodings
import Keystore
import SecureMemory
import SessionStore
import Threema
import ThreemaClient

/// An identity of a keystore with its mailbox, which the process has for itself.
struct Account: ~Copyable {
    let mailbox: Mailbox
    private let records: LockedIdentity

    struct NoSuchIdentity: Error {}

    /// - Parameter contact: an identity of the same keystore. Elsewhere the directory has a contact's public key.
    init(_ id: String, writingTo contact: String, in keystore: OpenKeystore) throws {
        let owner = try Self.owner(id)
        let records = try keystore.lockedIdentity(owner, wait: .seconds(5))
        let key = keystore.digestKey("sessions")
        let store = try records.withDirectory { directory in
            try OpenSessionStore(in: directory, messenger: owner.messenger, id: owner.id, key: key)
        }
        let now = Timestamp(milliseconds: 1_700_000_000_000)
        let mailbox = try Mailbox(Self.identity(in: records.records), in: store, now: { now })
        let other = try Self.identity(in: keystore.identity(Self.owner(contact)))
        try mailbox.set(Contact(other.id, other.clientKey.publicKey))
        self.mailbox = mailbox
        self.records = records
    }

    private static func owner(_ id: String) throws -> Owner {
        guard let owner = Owner(messenger: "threema", id: id) else { throw NoSuchIdentity() }
        return owner
    }

    private static func identity(in records: borrowing IdentityRecords) throws -> Identity {
        guard let bytes = try records.read("identity") else { throw NoSuchIdentity() }
        return try bytes.withBytes { try Identity(decoding: $0) }
    }
}
