internal import SecureMemory

/// Bytes that have arrived and are not used yet.
struct ByteQueue: Sendable {
    private var bytes: [UInt8] = []
    private var start = 0

    var count: Int { bytes.count - start }

    mutating func append(_ more: Span<UInt8>) {
        // What was used is removed once for each arrival, not for each frame.
        bytes.removeFirst(start)
        start = 0
        bytes += more.revealBytes()
    }

    /// - Returns: nil, and nothing is used, if fewer have arrived.
    mutating func take(_ count: Int) -> [UInt8]? {
        guard self.count >= count else { return nil }
        defer { start += count }
        return Array(bytes[start..<start + count])
    }

    /// The box of the next frame, of any length that a frame may have.
    /// - Returns: nil if not all of it has arrived.
    /// - Throws: `.frameTooShort` and `.frameTooLong` as soon as its length has arrived.
    mutating func takeFrame() throws(ChatError) -> [UInt8]? {
        guard count >= ChatFrame.prefixCount else { return nil }
        let boxCount = Int(bytes[start]) | Int(bytes[start + 1]) << 8
        guard boxCount >= ChatFrame.minBoxCount else {
            throw .frameTooShort(minimum: ChatFrame.minBoxCount, actual: boxCount)
        }
        guard boxCount <= ChatFrame.maxBoxCount else {
            throw .frameTooLong(limit: ChatFrame.maxBoxCount, actual: boxCount)
        }
        return take(ChatFrame.prefixCount + boxCount).map { Array($0[ChatFrame.prefixCount...]) }
    }
}
