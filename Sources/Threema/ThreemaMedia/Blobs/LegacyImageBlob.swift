public import Primitives
public import SecureMemory
public import Threema
public import ThreemaMessages

// The blob of an old image message is a box between sender and receiver: the message carries a nonce, and no key.

extension LegacyImage {
    /// Seals an image for one receiver.
    /// - Parameters:
    ///   - keys: of sender and receiver.
    ///   - used: the sender's nonces. Insert the digest of the result's nonce before the blob leaves: the blob has the
    ///     same key as the messages.
    public static func seal<Used: UsedNonces>(
        _ image: Span<UInt8>, from sender: ThreemaID, keys: borrowing ContactKeys, notIn used: Used
    ) throws(Used.Failure) -> (blob: [UInt8], nonce: MessageNonce) {
        let nonce = try MessageNonce.random(for: sender, notIn: used)
        return (seal(image, keys: keys, nonce: nonce), nonce)
    }

    /// - Parameter nonce: never used twice with these keys, by either side.
    /// - Returns: the blob: tag ‖ ciphertext.
    package static func seal(_ image: Span<UInt8>, keys: borrowing ContactKeys, nonce: MessageNonce) -> [UInt8] {
        Box.seal(image, nonce: nonce.bytes, sharedKey: keys.message)
    }

    /// Opens the blob of this message.
    /// - Parameter keys: of sender and receiver.
    /// - Throws: `.notAuthentic` for other keys or altered bytes.
    public func open(_ blob: Span<UInt8>, keys: borrowing ContactKeys) throws(AuthenticationError) -> SecureBytes {
        try Box.open(blob, nonce: nonce.bytes, sharedKey: keys.message)
    }
}
