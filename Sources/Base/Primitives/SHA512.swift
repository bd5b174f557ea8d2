public import SecureMemory

/// SHA-512 (FIPS 180-4), for formats of others that hash secrets with it.
public enum SHA512 {
    /// Length of a digest in bytes.
    public static let count = 64

    /// - Returns: 64 bytes in guarded memory.
    public static func hash(_ message: Span<UInt8>) -> SecureBytes { SHA512State.secretDigest(message) }

    /// Hashes what is not secret. Guarded memory would take longer than the hash.
    /// - Returns: 64 bytes.
    package static func hashPublic(_ message: Span<UInt8>) -> [UInt8] { SHA512State.digest(message) }
}
