internal import SecureMemory

/// Bytes that have arrived and are not used yet.
struct ByteQueue: Sendable {
    private var bytes: [UInt8] = []
    private var start = 0

    var count: Int { bytes.count - start }

    mutating func append(_ more: Span<UInt8>) {
        // What was used is removed once for each arrival, not for each frame.
        if start == bytes.count {
            bytes = more.revealBytes()
        } else {
            bytes.removeFirst(start)
            bytes += more.revealBytes()
        }
        start = 0
    }

    /// - Returns: nil, and nothing is used, if fewer have arrived.
    mutating func take(_ count: Int) -> [UInt8]? {
        guard self.count >= count else { return nil }
        defer { start += count }
        return Array(bytes[start..<start + count])
    }

    /// Opens the next frame, of any length that a frame may have, where it is.
    /// - Returns: nil if not all of it has arrived.
    /// - Throws: `.frameTooShort` and `.frameTooLong` as soon as its length has arrived; what `ChatFrame.open` throws.
    mutating func openFrame(with boxes: inout ChatBoxes) throws(ChatError) -> ChatPayload? {
        guard count >= ChatFrame.prefixCount else { return nil }
        let boxCount = Int(bytes[start]) | Int(bytes[start + 1]) << 8
        guard boxCount >= ChatFrame.minBoxCount else {
            throw .frameTooShort(minimum: ChatFrame.minBoxCount, actual: boxCount)
        }
        guard boxCount <= ChatFrame.maxBoxCount else {
            throw .frameTooLong(limit: ChatFrame.maxBoxCount, actual: boxCount)
        }
        let boxStart = start + ChatFrame.prefixCount
        guard bytes.count >= boxStart + boxCount else { return nil }
        start = boxStart + boxCount
        return try ChatFrame.open(&bytes, at: boxStart..<start, with: &boxes)
    }
}
