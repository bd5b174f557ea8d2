public import SecureMemory

/// Where ephemeral keys, session IDs, message IDs, nonces and padding come from.
public protocol RandomSource {
    /// Bytes that are not secret.
    func bytes(_ count: Int) -> [UInt8]
    /// Secret bytes.
    func secret(_ count: Int) -> SecureBytes
}

/// The random numbers of the system, for every use outside of tests.
public struct SystemRandom: RandomSource, Sendable {
    /// The source has no state.
    public init() {}
    /// Bytes that are not secret.
    public func bytes(_ count: Int) -> [UInt8] { Random.bytes(count) }
    /// Random bytes in guarded memory, for a key.
    public func secret(_ count: Int) -> SecureBytes { Random.secret(count) }
}
