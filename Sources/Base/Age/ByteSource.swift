internal import SecureMemory

/// Reads a stream by lines, by peeking, or as many bytes as fit, from a closure that returns what it has.
final class ByteSource {
    /// Fills a span from the front. Returns how many bytes; 0 only at the end.
    typealias Input = (inout MutableSpan<UInt8>) throws -> Int

    /// A line, without the line feed that ends it.
    enum Line {
        case complete([UInt8])
        /// The stream ended before a line feed. The bytes are empty if the line before was the last one.
        case unterminated([UInt8])
        /// There are more bytes than the limit.
        case tooLong
    }

    private let input: Input
    private var buffer = [UInt8](repeating: 0, count: 16_384)
    /// What was read into `buffer` and not yet taken.
    private var unread = 0..<0
    private var isAtEnd = false

    init(_ input: @escaping Input) { self.input = input }

    /// - Parameter limit: in bytes, without the line feed.
    func line(limit: Int) throws -> Line {
        var line: [UInt8] = []
        while try fill() {
            let end = buffer[unread].firstIndex(of: UInt8(ascii: "\n")) ?? unread.upperBound
            guard line.count + end - unread.lowerBound <= limit else { return .tooLong }
            line += buffer[unread.lowerBound..<end]
            guard end == unread.upperBound else {
                unread = end + 1..<unread.upperBound
                return .complete(line)
            }
            unread = end..<end
        }
        return .unterminated(line)
    }

    /// Fills `bytes` from the front, as far as the stream goes.
    /// - Returns: how many bytes; fewer than fit only at the end.
    func read(into bytes: inout MutableSpan<UInt8>) throws -> Int {
        var count = min(bytes.count, unread.count)
        bytes.copy(buffer.span.extracting(unread.lowerBound..<unread.lowerBound + count))
        unread = unread.lowerBound + count..<unread.upperBound
        while count < bytes.count, !isAtEnd {
            count += try bytes.withPart(count..<bytes.count) { try take(&$0) }
        }
        return count
    }

    /// Reads ahead.
    /// - Parameter count: at most 16,384.
    /// - Returns: the next `count` bytes, fewer only at the end.
    func peek(_ count: Int) throws -> ArraySlice<UInt8> {
        if unread.lowerBound + count > buffer.count {
            buffer.replaceSubrange(0..<unread.count, with: Array(buffer[unread]))
            unread = 0..<unread.count
        }
        while unread.count < count, !isAtEnd { try readMore() }
        return buffer[unread].prefix(count)
    }

    /// - Returns: false at the end.
    private func fill() throws -> Bool {
        if unread.isEmpty, !isAtEnd {
            unread = 0..<0
            try readMore()
        }
        return !unread.isEmpty
    }

    private func readMore() throws {
        // In a variable of its own, because the span of an object's property cannot be lent to the input.
        var bytes: [UInt8] = []
        swap(&bytes, &buffer)
        defer { swap(&bytes, &buffer) }
        var all = bytes.mutableSpan
        let count = try all.withPart(unread.upperBound..<all.count) { try take(&$0) }
        unread = unread.lowerBound..<unread.upperBound + count
    }

    private func take(_ bytes: inout MutableSpan<UInt8>) throws -> Int {
        let count = try input(&bytes)
        precondition((0...bytes.count).contains(count), "more bytes than fit")
        isAtEnd = count == 0
        return count
    }
}
