internal import Primitives

/// The revocation key that the directory stores: the first 4 bytes of the password's SHA-256 (whitepaper, "ID
/// Revocation"). It is so short by design, because an attacker learns little about the password from 32 bits.
public struct RevocationKey: Equatable, Sendable {
    /// Length in bytes.
    public static let count = 4
    /// Fewest characters (Unicode scalars) of a revocation password.
    public static let minimumPasswordLength = 8

    /// The 4 bytes.
    public let bytes: [UInt8]

    /// Computes the revocation key of a password.
    /// - Parameter password: UTF-8 as typed, neither trimmed nor normalised.
    public init(password: Span<UInt8>) {
        bytes = Array(SHA256.hash(password).prefix(Self.count))
    }
}
