internal import SophaxChat

// A frame: length (4, big endian) ‖ JSON, at most 4,194,304 bytes of it.

/// Splits the bytes of a TCP connection into frames. No I/O: bytes are fed. `ConnectionRules` says when too little comes.
public struct FrameReader: Sendable {
    /// Longest content of a frame in bytes.
    public static let maxCount = WireMessage.maxCount
    /// Bytes of a frame before its content: the content's length.
    public static let prefixCount = 4

    /// Why the connection is to be closed.
    public enum Failure: Error, Equatable, Sendable {
        /// A frame says that it is longer than the limit.
        case tooLong(UInt32)
    }

    private var prefix: UInt32 = 0
    private var prefixCount = 0
    private var content: [UInt8] = []
    private var failure: Failure?

    /// Bytes in memory of a frame that is not complete.
    public var buffered: Int { prefixCount + content.count }

    /// Reserved for the frame that is being read, in bytes.
    package var reserved: Int { content.capacity }

    /// Begins at the start of a connection.
    public init() {}

    /// What a length says.
    package static func decide(_ length: UInt32) -> Failure? {
        // Compared as it was read, without any conversion.
        length <= UInt32(maxCount) ? nil : .tooLong(length)
    }

    /// Takes bytes of the connection.
    /// - Returns: the contents of the frames that they complete.
    /// - Throws: `.tooLong`: close the connection. Nothing was reserved for the frame; every later call throws again.
    public mutating func read(_ bytes: Span<UInt8>) throws(Failure) -> [[UInt8]] {
        if let failure { throw failure }
        var frames: [[UInt8]] = []
        var position = 0
        while position < bytes.count {
            if prefixCount < Self.prefixCount {
                prefix = prefix << 8 | UInt32(bytes[position])
                prefixCount += 1
                position += 1
                guard prefixCount == Self.prefixCount else { continue }
                if let failure = Self.decide(prefix) {
                    self.failure = failure
                    throw failure
                }
            } else {
                let taken = min(Int(prefix) - content.count, bytes.count - position)
                for index in position..<position + taken { content.append(bytes[index]) }
                position += taken
            }
            if prefixCount == Self.prefixCount, content.count == Int(prefix) {
                frames.append(content)
                content = []
                (prefix, prefixCount) = (0, 0)
            }
        }
        return frames
    }

    /// Makes a frame.
    /// - Returns: nil if the content is longer than the limit.
    public static func frame(_ content: [UInt8]) -> [UInt8]? {
        guard content.count <= maxCount else { return nil }
        var frame: [UInt8] = []
        frame.reserveCapacity(prefixCount + content.count)
        frame.appendLong(content)
        return frame
    }
}
