internal import SecureMemory

/// A body that is read piece by piece while it is sent, so that it need not fit into memory.
package struct HTTPUpload: Sendable {
    /// Its length in bytes.
    package let count: Int
    /// Reads bytes from an offset on, into the front of the buffer. It is asked for each byte once, front to back.
    /// - Returns: how many; nil if they cannot be read, which ends the request.
    package let read: @Sendable (_ offset: Int, _ buffer: inout MutableSpan<UInt8>) -> Int?

    package init(count: Int, read: @escaping @Sendable (_ offset: Int, _ buffer: inout MutableSpan<UInt8>) -> Int?) {
        self.count = count
        self.read = read
    }

    /// The body with bytes before and after it.
    package func between(_ before: [UInt8], _ after: [UInt8]) -> HTTPUpload {
        let end = before.count + count
        return HTTPUpload(count: end + after.count) { offset, buffer in
            if offset >= before.count, offset < end { return read(offset - before.count, &buffer) }
            let rest = offset < end ? before.dropFirst(offset) : after.dropFirst(offset - end)
            let piece = Array(rest.prefix(buffer.count))
            buffer.copy(piece.span)
            return piece.count
        }
    }
}

/// Takes the body of an answer with status 200 piece by piece, so that it need not fit into memory.
/// - Returns: false to end the request.
package typealias HTTPDownload = @Sendable (_ piece: Span<UInt8>) -> Bool
