internal import SecureMemory
internal import ThreemaMessages

// The first byte of a value:
//
//   00…7f  a number, 0 to 127           e0…ff  a number, -32 to -1
//   80…8f  a map of 0 to 15 members     90…9f  an array of 0 to 15 values
//   a0…bf  a text of 0 to 31 bytes
//   c0     null       c1  never used       c2, c3  false, true
//   c4…c6  bytes      c7…c9  extension     length in 1, 2, 4 bytes, then for an extension its type
//   ca, cb float, double
//   cc…cf  unsigned   d0…d3  signed        1, 2, 4, 8 bytes
//   d4…d8  extension of 1, 2, 4, 8, 16 bytes behind its type
//   d9…db  text       length in 1, 2, 4 bytes
//   dc, dd array      de, df map           count in 2, 4 bytes
//
// All numbers are big-endian. Longer forms than necessary are read.

extension MessagePackValue {
    /// Reads one value, which has to be all of the bytes.
    public init(decoding bytes: Span<UInt8>, limits: MessagePackLimits) throws(MessagePackError) {
        guard bytes.count <= limits.bytes else { throw .tooLong(limit: limits.bytes, actual: bytes.count) }
        var reader = MessagePackReader(limits: limits)
        self = try reader.value(bytes, depth: 0)
        guard reader.position == bytes.count else { throw .trailingBytes(bytes.count - reader.position) }
    }
}

private struct MessagePackReader {
    let limits: MessagePackLimits
    var position = 0
    var values = 0

    init(limits: MessagePackLimits) { self.limits = limits }

    mutating func value(_ bytes: Span<UInt8>, depth: Int) throws(MessagePackError) -> MessagePackValue {
        values += 1
        guard values <= limits.values else { throw .tooManyValues(limit: limits.values) }
        let first = UInt8(try number(bytes, width: 1))
        switch first {
        case 0x00...0x7f: return .unsigned(UInt64(first))
        case 0x80...0x8f: return try map(bytes, UInt64(first & 0x0f), depth)
        case 0x90...0x9f: return try array(bytes, UInt64(first & 0x0f), depth)
        case 0xa0...0xbf: return .text(try text(bytes, UInt64(first & 0x1f)))
        case 0xc0: return .null
        case 0xc1: throw .reservedType
        case 0xc2, 0xc3: return .bool(first == 0xc3)
        case 0xc4...0xc6: return .bytes(try take(bytes, try number(bytes, width: 1 << Int(first - 0xc4))))
        case 0xc7...0xc9: return try extended(bytes, try number(bytes, width: 1 << Int(first - 0xc7)))
        case 0xca: return .float(Float(bitPattern: UInt32(try number(bytes, width: 4))))
        case 0xcb: return .double(Double(bitPattern: try number(bytes, width: 8)))
        case 0xcc...0xcf: return .unsigned(try number(bytes, width: 1 << Int(first - 0xcc)))
        case 0xd0...0xd3: return .integer(try signed(bytes, width: 1 << Int(first - 0xd0)))
        case 0xd4...0xd8: return try extended(bytes, 1 << UInt64(first - 0xd4))
        case 0xd9...0xdb: return .text(try text(bytes, try number(bytes, width: 1 << Int(first - 0xd9))))
        case 0xdc, 0xdd: return try array(bytes, try number(bytes, width: first == 0xdc ? 2 : 4), depth)
        case 0xde, 0xdf: return try map(bytes, try number(bytes, width: first == 0xde ? 2 : 4), depth)
        default: return .negative(Int64(Int8(bitPattern: first)))
        }
    }

    private mutating func array(
        _ bytes: Span<UInt8>, _ count: UInt64, _ depth: Int
    ) throws(MessagePackError) -> MessagePackValue {
        let count = try self.count(bytes, count, valuesEach: 1, depth)
        var elements: [MessagePackValue] = []
        elements.reserveCapacity(count)
        for _ in 0..<count { elements.append(try value(bytes, depth: depth + 1)) }
        return .array(elements)
    }

    private mutating func map(
        _ bytes: Span<UInt8>, _ count: UInt64, _ depth: Int
    ) throws(MessagePackError) -> MessagePackValue {
        let count = try self.count(bytes, count, valuesEach: 2, depth)
        var members: [MessagePackValue.Member] = []
        members.reserveCapacity(count)
        for _ in 0..<count {
            let name = try value(bytes, depth: depth + 1)
            members.append(.init(name, try value(bytes, depth: depth + 1)))
        }
        return .map(members)
    }

    /// Checks what an array or map announces. Each value needs a byte at least.
    private func count(
        _ bytes: Span<UInt8>, _ count: UInt64, valuesEach: UInt64, _ depth: Int
    ) throws(MessagePackError) -> Int {
        guard depth < limits.depth else { throw .tooDeep(limit: limits.depth) }
        guard count * valuesEach <= UInt64(limits.values - values) else { throw .tooManyValues(limit: limits.values) }
        guard count * valuesEach <= UInt64(bytes.count - position) else { throw .truncated }
        return Int(count)
    }

    private mutating func extended(
        _ bytes: Span<UInt8>, _ count: UInt64
    ) throws(MessagePackError) -> MessagePackValue {
        let type = Int8(truncatingIfNeeded: try number(bytes, width: 1))
        return .extended(type, try take(bytes, count))
    }

    private mutating func text(_ bytes: Span<UInt8>, _ count: UInt64) throws(MessagePackError) -> String {
        let range = try range(bytes, count)
        guard let text = bytes.extracting(range).text() else { throw .notUTF8 }
        return text
    }

    private mutating func take(_ bytes: Span<UInt8>, _ count: UInt64) throws(MessagePackError) -> [UInt8] {
        bytes.publicBytes(try range(bytes, count))
    }

    private mutating func range(_ bytes: Span<UInt8>, _ count: UInt64) throws(MessagePackError) -> Range<Int> {
        guard count <= UInt64(bytes.count - position) else { throw .truncated }
        defer { position += Int(count) }
        return position..<position + Int(count)
    }

    private mutating func signed(_ bytes: Span<UInt8>, width: Int) throws(MessagePackError) -> Int64 {
        let shift = 64 - 8 * width
        return Int64(bitPattern: try number(bytes, width: width) << UInt64(shift)) >> Int64(shift)
    }

    private mutating func number(_ bytes: Span<UInt8>, width: Int) throws(MessagePackError) -> UInt64 {
        let range = try range(bytes, UInt64(width))
        var value: UInt64 = 0
        for index in range { value = value << 8 | UInt64(bytes[index]) }
        return value
    }
}
