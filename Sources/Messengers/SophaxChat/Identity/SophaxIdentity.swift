internal import Primitives
public import SecureMemory

/// The private keys of an identity. They last as long as the identity does.
public struct SophaxIdentity: ~Copyable, Sendable {
    /// Length of each private key in bytes.
    public static let keyCount = 32
    /// Ed25519 seed, 32 bytes.
    package let signing: SecureBytes
    /// X25519, 32 bytes.
    package let agreement: SecureBytes
    /// The two public keys, 32 bytes each, which contacts know.
    public let publicIdentity: PublicIdentity

    /// Makes an identity with two keys from the system's random numbers.
    public init() {
        self.init(checked: Random.secret(Self.keyCount), Random.secret(Self.keyCount))
    }

    /// - Parameters:
    ///   - signing: Ed25519 seed, 32 bytes.
    ///   - agreement: X25519 private key, 32 bytes.
    /// - Returns: nil for another length.
    public init?(signing: consuming SecureBytes, agreement: consuming SecureBytes) {
        guard signing.count == Self.keyCount, agreement.count == Self.keyCount else { return nil }
        self.init(checked: signing, agreement)
    }

    private init(checked signing: consuming SecureBytes, _ agreement: consuming SecureBytes) {
        publicIdentity = PublicIdentity(
            signing: signing.withBytes { Ed25519.publicKey(of: $0) },
            agreement: agreement.withBytes { X25519.publicKey(of: $0) })!
        self.signing = signing
        self.agreement = agreement
    }

    /// The name that the public keys have, 32 digits.
    public var peerID: PeerID { publicIdentity.peerID }

    /// Signs bytes: 64 bytes.
    borrowing func sign(_ bytes: [UInt8]) -> [UInt8] {
        signing.withBytes { Ed25519.sign(bytes.span, seed: $0) }
    }

    /// Both private keys, signing seed ‖ DH key, 64 bytes: what shares are made of.
    package borrowing func joined() -> SecureBytes {
        var buffer = SecureBuffer(capacity: 2 * Self.keyCount)
        buffer.append(signing)
        buffer.append(agreement)
        return buffer.finish()
    }

    /// The reverse of `joined()`.
    package init(joined: borrowing SecureBytes) {
        precondition(joined.count == 2 * Self.keyCount)
        self.init(
            checked: joined.withBytes { SecureBytes(copying: $0.extracting(0..<Self.keyCount)) },
            joined.withBytes { SecureBytes(copying: $0.extracting(Self.keyCount..<2 * Self.keyCount)) })
    }
}
