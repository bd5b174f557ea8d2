extension MessagePackValue {
    /// The bytes, each value in its shortest form. A map has the order of its members.
    public var encoded: [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }

    private func append(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(0xc0)
        case .bool(let value): bytes.append(value ? 0xc3 : 0xc2)
        case .unsigned(let value): Self.append(unsigned: value, to: &bytes)
        case .negative(let value): Self.append(negative: value, to: &bytes)
        case .float(let value):
            bytes.append(0xca)
            bytes.append(bigEndian: UInt64(value.bitPattern), width: 4)
        case .double(let value):
            bytes.append(0xcb)
            bytes.append(bigEndian: value.bitPattern, width: 8)
        case .text(let text):
            Self.append(count: text.utf8.count, short: (0xa0, 31), [0xd9, 0xda, 0xdb], to: &bytes)
            bytes += text.utf8
        case .bytes(let content):
            Self.append(count: content.count, short: nil, [0xc4, 0xc5, 0xc6], to: &bytes)
            bytes += content
        case .array(let elements):
            Self.append(count: elements.count, short: (0x90, 15), [nil, 0xdc, 0xdd], to: &bytes)
            for element in elements { element.append(to: &bytes) }
        case .map(let members):
            Self.append(count: members.count, short: (0x80, 15), [nil, 0xde, 0xdf], to: &bytes)
            for member in members {
                member.name.append(to: &bytes)
                member.value.append(to: &bytes)
            }
        case .extended(let type, let content):
            switch content.count {
            case 1, 2, 4, 8, 16: bytes.append(0xd4 + UInt8(content.count.trailingZeroBitCount))
            default: Self.append(count: content.count, short: nil, [0xc7, 0xc8, 0xc9], to: &bytes)
            }
            bytes.append(UInt8(bitPattern: type))
            bytes += content
        }
    }

    /// - Parameters:
    ///   - short: the type whose lowest bits are a count up to the number; nil for none.
    ///   - types: those with a count of 1, 2 and 4 bytes; nil for none.
    private static func append(
        count: Int, short: (type: UInt8, most: Int)?, _ types: [UInt8?], to bytes: inout [UInt8]
    ) {
        if let short, count <= short.most {
            bytes.append(short.type | UInt8(count))
            return
        }
        for (index, type) in types.enumerated() {
            let width = 1 << index
            guard let type, count >> (8 * width) == 0 else { continue }
            bytes.append(type)
            bytes.append(bigEndian: UInt64(count), width: width)
            return
        }
        preconditionFailure("more than 4 GiB")
    }

    private static func append(unsigned value: UInt64, to bytes: inout [UInt8]) {
        switch value {
        case 0...0x7f: bytes.append(UInt8(value))
        case ...0xff: bytes += [0xcc, UInt8(value)]
        case ...0xffff:
            bytes.append(0xcd)
            bytes.append(bigEndian: value, width: 2)
        case ...0xffff_ffff:
            bytes.append(0xce)
            bytes.append(bigEndian: value, width: 4)
        default:
            bytes.append(0xcf)
            bytes.append(bigEndian: value, width: 8)
        }
    }

    /// A value of 0 or more, which `.negative` should not have, is written as what it is.
    private static func append(negative value: Int64, to bytes: inout [UInt8]) {
        guard value < 0 else { return append(unsigned: UInt64(value), to: &bytes) }
        let pattern = UInt64(bitPattern: value)
        switch value {
        case -32..<0: bytes.append(UInt8(truncatingIfNeeded: pattern))
        case Int64(Int8.min)...: bytes += [0xd0, UInt8(truncatingIfNeeded: pattern)]
        case Int64(Int16.min)...:
            bytes.append(0xd1)
            bytes.append(bigEndian: pattern, width: 2)
        case Int64(Int32.min)...:
            bytes.append(0xd2)
            bytes.append(bigEndian: pattern, width: 4)
        default:
            bytes.append(0xd3)
            bytes.append(bigEndian: pattern, width: 8)
        }
    }
}

extension [UInt8] {
    /// Appends the lowest bytes of a number.
    mutating func append(bigEndian value: UInt64, width: Int) {
        for index in stride(from: width - 1, through: 0, by: -1) {
            append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index)))
        }
    }
}
