internal import Primitives
internal import SecureMemory
public import Threema

/// The nonce of a message: 24 random bytes, the same for its metadata box and its message box.
///
/// The two boxes have different keys, so sharing the nonce is safe. With one key a nonce is used once, by either side:
/// both directions of a conversation have the same key.
public struct MessageNonce: Hashable, Sendable {
    /// Length in bytes.
    public static let count = Box.nonceCount

    /// The 24 bytes.
    public let bytes: [UInt8]

    /// - Parameter bytes: 24 bytes.
    public init(_ bytes: [UInt8]) {
        precondition(bytes.count == Self.count)
        self.bytes = bytes
    }

    /// A fresh nonce that this identity has never sent or received.
    /// - Throws: what `used` throws.
    public static func random<Used: UsedNonces>(
        for own: ThreemaID, notIn used: Used
    ) throws(Used.Failure) -> MessageNonce {
        while true {
            let nonce = MessageNonce(Random.bytes(count))
            if try !used.contains(nonce.digest(for: own)) { return nonce }
        }
    }

    /// The form in which a used nonce is stored.
    /// - Parameter own: the identity that stores it, whether it has sent or received.
    public func digest(for own: ThreemaID) -> NonceDigest {
        // IDs are no secrets: guarded memory would cost more than all the rest.
        NonceDigest(HMACSHA256.authenticate(bytes.span, publicKey: own.bytes))
    }
}

/// What is stored of a used nonce: HMAC-SHA-256 with the own ID as key. Two identities that have exchanged a message
/// store different values, so that nobody can tell from their databases that they did.
public struct NonceDigest: Hashable, Sendable {
    /// Length in bytes.
    public static let count = 32

    /// The 32 bytes.
    public let bytes: [UInt8]

    /// - Parameter bytes: 32 bytes.
    public init(_ bytes: [UInt8]) {
        precondition(bytes.count == Self.count)
        self.bytes = bytes
    }
}

/// What remembers the nonces of one identity: those of all contacts, in both directions.
///
/// Insert a nonce that is sent before the message leaves, and one that is received after the message was processed, in
/// the transaction that stores what came of it.
public protocol UsedNonces {
    /// Why it could not be looked up.
    associatedtype Failure: Error

    /// Whether this nonce was used before.
    func contains(_ digest: NonceDigest) throws(Failure) -> Bool
}
