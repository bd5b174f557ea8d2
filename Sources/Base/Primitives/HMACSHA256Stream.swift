public import SecureMemory

/// HMAC-SHA-256 (RFC 2104) piece by piece, for messages that do not fit into memory.
public struct HMACSHA256Stream: ~Copyable {
    private var states: HMACStates

    /// - Parameter key: any length.
    public init(key: borrowing SecureBytes) { states = key.withBytes { HMACStates(key: $0) } }

    deinit {
        var states = states
        states.wipe()
    }

    /// Adds the next piece of the message.
    public mutating func update(_ piece: Span<UInt8>) { states.inner.update(piece) }

    /// The authentication code of all pieces. Call it once.
    /// - Returns: 32 bytes.
    public mutating func finish() -> [UInt8] {
        states.join()
        var code = [UInt8](repeating: 0, count: SHA256.count)
        states.outer.finish(into: &code)
        return code
    }
}
