internal import SecureMemory

// Numbers and text as they stand in messages: little-endian, UTF-8.

extension Span where Element == UInt8 {
    /// An unsigned number of `width` bytes; the caller has checked that they are there.
    package func littleEndian(at offset: Int, width: Int) -> UInt64 {
        var value: UInt64 = 0
        for index in 0..<width { value |= UInt64(self[offset + index]) << UInt64(8 * index) }
        return value
    }

    /// The bytes as text; nil if they are not UTF-8.
    package func text() -> String? {
        do throws(UTF8.ValidationError) {
            return String(copying: try UTF8Span(validating: self))
        } catch {
            return nil
        }
    }

    /// A copy in ordinary memory, for bytes that are not a key.
    package func publicBytes(_ range: Range<Int>) -> [UInt8] { extracting(range).revealBytes() }
}

extension SecureBuffer {
    /// Appends an unsigned number of `width` bytes.
    mutating func append(littleEndian value: UInt64, width: Int) {
        for index in 0..<width { append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index))) }
    }
}

extension [UInt8] {
    /// Appends an unsigned number of `width` bytes.
    package mutating func append(littleEndian value: UInt64, width: Int) {
        for index in 0..<width { append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index))) }
    }
}
