public import Primitives
package import SecureMemory
public import Threema

/// The keys between one's own identity and a contact. Both sides derive the same ones.
///
///     message key  = HSalsa20(X25519(own private key, contact's public key), zeros)
///     metadata key = BLAKE2b-256(key: message key, salt: "mm", personal: "3ma-csp")
///
/// Deriving them costs a multiplication on the curve: keep them for as long as messages are exchanged.
public struct ContactKeys: ~Copyable, Sendable {
    /// Of the message box.
    package let message: SecureBytes
    /// Of the metadata box.
    package let metadata: SecureBytes

    /// - Throws: `.weakPublicKey` for a point of small order, which is nobody's key.
    public init(own: borrowing ClientKey, contact: PublicKey) throws(SharedKeyError) {
        message = try own.bytes.withBytes { (own) throws(SharedKeyError) in
            try Box.sharedKey(privateKey: own, publicKey: contact.bytes.span)
        }
        metadata = BLAKE2b.deriveKey(from: message, salt: "mm", personal: "3ma-csp")
    }
}
