public import Primitives
internal import SecureMemory
public import Threema
public import ThreemaMessages

/// An identity and one of its contacts, with the keys between them. Both agree on a session by these and ephemeral keys.
public struct Parties: ~Copyable, Sendable {
    /// One's own ID, which is bound into the keys of a session.
    public let own: ThreemaID
    /// The contact's ID, which is bound into the keys of a session.
    public let contact: ThreemaID
    /// Of the messages around the envelopes.
    public let keys: ContactKeys
    let contactKey: PublicKey
    let ownKey: SecureBytes

    /// Copies the private key into guarded memory.
    /// - Throws: `.weakPublicKey` for a point of small order, which is nobody's key.
    public init(own: borrowing Identity, contact: ThreemaID, publicKey: PublicKey) throws(SharedKeyError) {
        self.own = own.id
        self.contact = contact
        keys = try ContactKeys(own: own.clientKey, contact: publicKey)
        contactKey = publicKey
        ownKey = own.clientKey.bytes.withBytes { SecureBytes(copying: $0) }
    }
}
