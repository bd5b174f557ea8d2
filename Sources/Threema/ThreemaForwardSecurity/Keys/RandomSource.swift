public import SecureMemory

/// Where ephemeral keys, session IDs, message IDs, nonces and padding come from.
public protocol RandomSource {
    /// Bytes that are not secret.
    func bytes(_ count: Int) -> [UInt8]
    /// Secret bytes.
    func secret(_ count: Int) -> SecureBytes
}

/// The system's random numbers.
public struct SystemRandom: RandomSource, Sendable {
    /// There is one kind.
    public init() {}
    /// Bytes that are not secret.
    public func bytes(_ count: Int) -> [UInt8] { Random.bytes(count) }
    /// Secret bytes.
    public func secret(_ count: Int) -> SecureBytes { Random.secret(count) }
}
