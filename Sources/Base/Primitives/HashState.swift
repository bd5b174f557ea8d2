internal import SecureMemory

/// A hash function whose state can be copied, which saves HMAC half of the work.
protocol HashState {
    /// Length of an input block in bytes.
    static var blockCount: Int { get }
    /// Length of a digest in bytes.
    static var count: Int { get }
    init()
    mutating func update(_ message: Span<UInt8>)
    /// Writes the digest to the front of `digest` and wipes the state.
    mutating func finish(into digest: inout MutableSpan<UInt8>)
    mutating func wipe()
}

extension HashState {
    /// The digest of a whole message: `count` bytes.
    static func digest(_ message: Span<UInt8>) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: count)
        var bytes = digest.mutableSpan
        hash(message, into: &bytes)
        return digest
    }

    /// The same in guarded memory.
    static func secretDigest(_ message: Span<UInt8>) -> SecureBytes {
        SecureBytes(count: count) { hash(message, into: &$0) }
    }

    private static func hash(_ message: Span<UInt8>, into digest: inout MutableSpan<UInt8>) {
        defer { SpentStack.wipe() }
        var state = Self()
        state.update(message)
        state.finish(into: &digest)
    }
}
