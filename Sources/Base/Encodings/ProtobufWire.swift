package import SecureMemory

/// The wire format of Protocol Buffers without groups: fields with a varint, with bytes, or of a fixed width.
package enum ProtobufWire {
    /// One field. Bytes are given as their range in the message.
    package enum Field: Equatable, Sendable {
        case varint(number: Int, UInt64)
        case bytes(number: Int, Range<Int>)
        /// `fixed64`, `sfixed64` or `double`, as its 64 bits.
        case fixed64(number: Int, UInt64)
        /// `fixed32`, `sfixed32` or `float`, as its 32 bits.
        case fixed32(number: Int, UInt32)
    }

    /// Reads the field at `position` and moves `position` behind it.
    /// - Returns: nil at the end of the message.
    /// - Throws: `.malformed` for a varint that is cut or exceeds 64 bits, a length past the end, field number 0, or a
    ///   group.
    package static func next(_ message: Span<UInt8>, at position: inout Int) throws(ProtobufError) -> Field? {
        guard position < message.count else { return nil }
        let key = try varint(message, at: &position)
        guard let number = Int(exactly: key >> 3), number > 0, number < 1 << 29 else { throw .malformed }
        switch key & 7 {
        case 0: return .varint(number: number, try varint(message, at: &position))
        case 2:
            let length = try varint(message, at: &position)
            guard length <= UInt64(message.count - position) else { throw .malformed }
            defer { position += Int(length) }
            return .bytes(number: number, position..<position + Int(length))
        case 1, 5:
            let width = key & 7 == 1 ? 8 : 4
            guard message.count - position >= width else { throw .malformed }
            var value: UInt64 = 0
            for index in 0..<width { value |= UInt64(message[position + index]) << UInt64(8 * index) }
            position += width
            return width == 8 ? .fixed64(number: number, value) : .fixed32(number: number, UInt32(value))
        default: throw .malformed
        }
    }

    /// Writes a varint field.
    package static func append(_ value: UInt64, number: Int, to message: inout (some ProtobufOutput & ~Copyable)) {
        appendVarint(UInt64(number) << 3, to: &message)
        appendVarint(value, to: &message)
    }

    /// Length of a varint field in bytes.
    package static func encodedCount(number: Int, value: UInt64) -> Int {
        varintCount(UInt64(number) << 3) + varintCount(value)
    }

    /// Writes a field of type `fixed64`.
    package static func appendFixed64(_ value: UInt64, number: Int, to message: inout (some ProtobufOutput & ~Copyable))
    {
        appendVarint(UInt64(number) << 3 | 1, to: &message)
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            message.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    /// Length of a field of type `fixed64`.
    package static func fixed64Count(number: Int) -> Int { varintCount(UInt64(number) << 3) + 8 }

    /// Writes a bytes field.
    package static func append(_ bytes: Span<UInt8>, number: Int, to message: inout (some ProtobufOutput & ~Copyable)) {
        appendVarint(UInt64(number) << 3 | 2, to: &message)
        appendVarint(UInt64(bytes.count), to: &message)
        message.append(bytes)
    }

    /// Length in bytes of a field that holds `count` bytes.
    package static func encodedCount(number: Int, count: Int) -> Int {
        varintCount(UInt64(number) << 3 | 2) + varintCount(UInt64(count)) + count
    }

    private static func varint(_ message: Span<UInt8>, at position: inout Int) throws(ProtobufError) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard position < message.count else { throw .malformed }
            let byte = message[position]
            position += 1
            guard shift < 63 || byte <= 1 else { throw .malformed }
            value |= UInt64(byte & 0x7f) << shift
            if byte & 0x80 == 0 { return value }
        }
        throw .malformed
    }

    private static func appendVarint(_ value: UInt64, to message: inout (some ProtobufOutput & ~Copyable)) {
        var rest = value
        while rest >= 0x80 {
            message.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        message.append(UInt8(rest))
    }

    private static func varintCount(_ value: UInt64) -> Int {
        max(1, (64 - value.leadingZeroBitCount + 6) / 7)
    }
}

/// Where a message is written: guarded memory, or an array if nothing of it is secret.
package protocol ProtobufOutput: ~Copyable {
    mutating func append(_ byte: UInt8)
    mutating func append(_ bytes: Span<UInt8>)
}

extension SecureBuffer: ProtobufOutput {}

extension [UInt8]: ProtobufOutput {
    package mutating func append(_ bytes: Span<UInt8>) {
        self += bytes.revealBytes()
    }
}

/// Why bytes were not read as a message.
package enum ProtobufError: Error, Equatable, Sendable {
    case malformed
}
