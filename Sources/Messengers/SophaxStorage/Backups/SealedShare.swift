internal import Primitives
internal import SecureMemory
public import SophaxChat

// A share on its way to the one who keeps it:
//
//   key   HKDF-SHA-256(DH(one's DH key, the other's DH key), no salt, SophaxChat_SSS_Share_v1, 32)
//   box   nonce (12) ‖ ChaCha20-Poly1305(key, share as JSON) ‖ tag (16), without AAD
//
// Both sides have the key, and it is the same in both directions for ever: it proves that one of them has sealed the
// share. The nonce is random.

/// Why a share cannot be sealed for a peer, or opened.
public enum SealedShareError: Error, Equatable, Sendable {
    /// The peer's key is of low order.
    case weakKey
    /// The box is from somebody else, for somebody else, or was changed.
    case notAuthentic
    /// What is inside is no share.
    case malformed
}

extension IdentityShare {
    private static let label = "SophaxChat_SSS_Share_v1"
    /// Longest box in bytes.
    public static let maxSealedCount = maxCount + Boxes.overhead

    /// Seals the share for the peer who is to keep it.
    /// - Throws: `.weakKey`.
    public func sealed(
        for keeper: PublicIdentity, by owner: borrowing SophaxIdentity
    ) throws(SealedShareError) -> [UInt8] {
        try sealed(for: keeper, by: owner, nonce: Random.bytes(ChaChaPoly.nonceCount))
    }

    package func sealed(
        for keeper: PublicIdentity, by owner: borrowing SophaxIdentity, nonce: [UInt8]
    ) throws(SealedShareError) -> [UInt8] {
        let key = try Self.key(owner, keeper)
        let text = encoded()
        return text.withBytes { Boxes.seal($0, key: key, nonce: nonce, data: []) }
    }

    /// Opens a share that a peer has sealed. Keep it for that peer; it is not a share of one's own keys.
    /// - Throws: `SealedShareError`.
    public init(
        opening box: [UInt8], from owner: PublicIdentity, by keeper: borrowing SophaxIdentity
    ) throws(SealedShareError) {
        guard box.count <= Self.maxSealedCount else { throw .malformed }
        let key = try Self.key(keeper, owner)
        let text: SecureBytes
        do { text = try Boxes.open(box, key: key, data: []) } catch { throw .notAuthentic }
        do {
            self = try text.withBytes { (text) throws(BackupError) in try IdentityShare(parsing: text) }
        } catch {
            throw .malformed
        }
    }

    private static func key(
        _ own: borrowing SophaxIdentity, _ peer: PublicIdentity
    ) throws(SealedShareError) -> SecureBytes {
        do { return try Boxes.agreedKey(own.agreement, peer.agreement, label) } catch { throw .weakKey }
    }
}
