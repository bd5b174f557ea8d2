package import SecureMemory

/// Lower-case hexadecimal, two characters a byte.
package enum Hex {
    /// Two lower-case characters for each byte.
    package static func encode(_ bytes: Span<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        for index in bytes.indices {
            text.append(digit(bytes[index] >> 4))
            text.append(digit(bytes[index] & 0x0f))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Two lower-case characters for each byte.
    package static func encode(_ bytes: [UInt8]) -> String { encode(bytes.span) }

    /// Encodes a secret into guarded memory.
    package static func encode(_ bytes: Span<UInt8>, appendingTo buffer: inout SecureBuffer) {
        for index in bytes.indices {
            buffer.append(digit(bytes[index] >> 4))
            buffer.append(digit(bytes[index] & 0x0f))
        }
    }

    /// - Returns: nil if `text` has an odd length or a character outside `0-9a-fA-F`.
    package static func decode(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = value(digits[index]), let low = value(digits[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        // Without a branch, because the bytes may be secret: 39 is the distance from the character behind 9 to a.
        UInt8(ascii: "0") + value + 39 * ((value + 6) >> 4)
    }

    /// The four bits of an ASCII digit; nil for any other byte.
    package static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
