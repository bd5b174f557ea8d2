internal import Primitives
public import Ratchet
public import SecureMemory

/// A private key of X25519 with its public half: an identity key, a prekey or the last-resort prekey.
public struct AgreementKey: Sendable {
    /// Length of a private key in bytes.
    public static let count = X25519.count

    /// The private key, 32 bytes, clamped.
    public let held: HeldKey
    /// The public half, computed from the private one.
    public let publicKey: PublicKey33

    /// Makes a key from the system's random numbers.
    public init() { self.init(clamping: Random.secret(Self.count)) }

    /// - Returns: nil for another length than 32 bytes.
    public init?(_ key: consuming SecureBytes) {
        guard key.count == Self.count else { return nil }
        self.init(clamping: key)
    }

    init(clamping key: borrowing SecureBytes) {
        held = HeldKey(key.clamped())
        publicKey = held.bytes.withBytes { PublicKey33(of: $0) }
    }
}

extension SecureBytes {
    /// A private key of X25519 as clients make it: b[0] &= 248, b[31] &= 127, b[31] |= 64. It has the same public key and
    /// the same agreements, but some programs clamp a key when they make it and never again.
    borrowing func clamped() -> SecureBytes {
        precondition(count == X25519.count)
        return withBytes { key in
            SecureBytes(count: X25519.count) { clamped in
                for index in key.indices { clamped[index] = key[index] }
                clamped[0] &= 248
                clamped[31] = clamped[31] & 127 | 64
            }
        }
    }
}
