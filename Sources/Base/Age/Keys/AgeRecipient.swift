internal import Encodings
internal import Primitives
internal import SecureMemory

/// The public key of an `AgeIdentity`, for which files are encrypted. It is not secret.
public struct AgeRecipient: Hashable, Sendable, CustomStringConvertible {
    /// 32 bytes; not of low order.
    let publicKey: [UInt8]

    init(publicKey: [UInt8]) { self.publicKey = publicKey }

    /// Reads a recipient as `age-keygen` prints it: `age1` and 58 characters, in lower case.
    /// - Throws: `AgeKeyError`.
    public init(_ text: String) throws(AgeKeyError) {
        let text = Array(text.utf8)
        let publicKey = try KeyText.decode(text.span, as: .recipient).revealBytes()
        guard !X25519.isLowOrder(publicKey) else { throw .malformed }
        self.publicKey = publicKey
    }

    /// `age1` and 58 characters.
    public var description: String { Bech32.encode(prefix: KeyText.recipientPrefix, publicKey.span).revealText() }
}
