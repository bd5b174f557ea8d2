internal import Primitives

/// What the directory keeps of a revocation password: the first 4 bytes of its SHA-256 (whitepaper, "ID
/// Revocation"). 32 bits by design: enough to revoke with, too few to be worth guessing from.
public struct RevocationKey: Equatable, Sendable {
    /// Length in bytes.
    public static let count = 4
    /// Fewest characters (Unicode scalars) of a revocation password.
    public static let minimumPasswordLength = 8

    /// The 4 bytes.
    public let bytes: [UInt8]

    /// - Parameter password: UTF-8 as typed, neither trimmed nor normalised.
    public init(password: Span<UInt8>) {
        bytes = Array(SHA256.hash(password).prefix(Self.count))
    }
}
