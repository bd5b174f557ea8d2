internal import CZlib
package import SecureMemory

/// Raw deflate streams (RFC 1951) of a known length, and the CRC-32 that their containers store.
package enum Deflate {
    /// Deflate expands a byte to at most this many bytes.
    package static let maxRatio = 1032

    /// Inflates exactly one stream into guarded memory.
    /// - Parameter count: the length of the content in bytes, which the caller has limited.
    /// - Returns: nil if `deflated` is not exactly one stream of exactly `count` bytes. Nothing is allocated for a
    ///   length that so few bytes cannot have.
    package static func open(_ deflated: Span<UInt8>, count: Int) -> SecureBytes? {
        guard count <= maxRatio * deflated.count else { return nil }
        var isComplete = false
        let content = SecureBytes(count: count) { content in isComplete = inflate(deflated, into: &content) }
        guard isComplete else { return nil }
        return content
    }

    /// Whether `deflated` is exactly one deflate stream of exactly `content.count` bytes.
    ///
    /// One call with Z_FINISH and the whole output: zlib then keeps no window of its own, unless the stream is damaged
    /// and holds more than expected.
    static func inflate(_ deflated: Span<UInt8>, into content: inout MutableSpan<UInt8>) -> Bool {
        var stream = unsafe z_stream()
        guard unsafe keytool_inflate_init_raw(&stream) == Z_OK else { return false }
        defer { unsafe inflateEnd(&stream) }
        // zlib refuses a null output; an empty content still needs somewhere to point.
        var nothing: UInt8 = 0
        return unsafe withUnsafeMutablePointer(to: &nothing) { nothing in
            unsafe content.withUnsafeMutableBufferPointer { content in
                unsafe deflated.withUnsafeBufferPointer { deflated in
                    unsafe stream.next_in = UnsafeMutablePointer(mutating: deflated.baseAddress)
                    unsafe stream.avail_in = UInt32(deflated.count)
                    unsafe stream.next_out = content.baseAddress ?? nothing
                    unsafe stream.avail_out = UInt32(content.count)
                    let result = unsafe CZlib.inflate(&stream, Z_FINISH)
                    return unsafe result == Z_STREAM_END && stream.avail_in == 0 && stream.avail_out == 0
                }
            }
        }
    }

    /// CRC-32 of gzip and ZIP.
    package static func checksum(_ content: Span<UInt8>) -> UInt32 {
        unsafe content.withUnsafeBufferPointer { content in
            UInt32(truncatingIfNeeded: unsafe crc32(0, content.baseAddress, UInt32(content.count)))
        }
    }
}
