internal import Encodings
internal import Primitives
public import SecureMemory

/// A secret key that opens the files for its recipient.
public struct AgeIdentity: ~Copyable, Sendable {
    /// 32 bytes, any value: libsodium clamps it.
    let secret: SecureBytes
    /// The public key that belongs to the secret one. It may be published: files are encrypted for it, and opened by
    /// this identity.
    public let recipient: AgeRecipient

    init(secret: consuming SecureBytes) {
        precondition(secret.count == X25519.count)
        recipient = AgeRecipient(publicKey: secret.withBytes { X25519.publicKey(of: $0) })
        self.secret = secret
    }

    /// A new identity from the system's random numbers.
    public static func random() -> AgeIdentity { AgeIdentity(secret: randomSecret()) }

    /// The identity of a key that was kept in another form, for example as shares.
    /// - Parameter bytes: as `revealBytes` returns them.
    /// - Returns: nil for another length than 32 bytes.
    package init?(bytes: consuming SecureBytes) {
        guard bytes.count == X25519.count else { return nil }
        self.init(secret: bytes)
    }

    /// 32 bytes.
    static func randomSecret() -> SecureBytes { Random.secret(X25519.count) }

    /// Reads an identity as `age-keygen` writes it: `AGE-SECRET-KEY-1` and 58 characters, in upper case.
    /// - Parameter text: without a line break. The caller wipes it.
    /// - Throws: `AgeKeyError`.
    public init(_ text: Span<UInt8>) throws(AgeKeyError) {
        self.init(secret: try KeyText.decode(text, as: .identity))
    }

    /// The key itself, 32 bytes, which opens all of its files.
    package borrowing func revealBytes() -> SecureBytes { secret.withBytes { SecureBytes(copying: $0) } }

    /// The text of the identity, 74 characters, which opens all of its files.
    public borrowing func revealText() -> SecureBytes {
        secret.withBytes { Bech32.encode(prefix: KeyText.identityPrefix, $0) }
    }
}
