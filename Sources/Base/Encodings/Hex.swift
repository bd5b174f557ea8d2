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

    /// Decodes a secret into guarded memory.
    /// - Returns: nil if `text` has an odd length or a character outside `0-9a-fA-F`.
    package static func decode(_ text: Span<UInt8>) -> SecureBytes? {
        guard text.count.isMultiple(of: 2) else { return nil }
        var all: UInt32 = 0
        let bytes = SecureBytes(count: text.count / 2) { bytes in
            for index in bytes.indices {
                let (high, low) = (bits(text[2 * index]), bits(text[2 * index + 1]))
                all |= high | low
                bytes[index] = UInt8(truncatingIfNeeded: high << 4 | low)
            }
        }
        // Whether it is a text of digits is public.
        guard !ConstantTime.reveal(all & ~0xf) else { return nil }
        return bytes
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        // Without a branch, because the bytes may be secret: 39 is the distance from the character behind 9 to a.
        UInt8(ascii: "0") &+ value &+ 39 &* ((value &+ 6) >> 4)
    }

    /// The four bits of an ASCII digit that is not secret; nil for any other byte.
    package static func value(_ digit: UInt8) -> UInt8? {
        let bits = bits(digit)
        return bits > 0xf ? nil : UInt8(bits)
    }

    // 0...15; a value with higher bits set if the character is not a digit.
    private static func bits(_ character: UInt8) -> UInt32 {
        let text = UInt32(character)
        let digit = ConstantTime.mask(text, from: 48, through: 57)
        let upper = ConstantTime.mask(text, from: 65, through: 70)
        let lower = ConstantTime.mask(text, from: 97, through: 102)
        return digit & (text &- 48) | upper & (text &- 55) | lower & (text &- 87) | ~(digit | upper | lower)
            & 0x8000_0000
    }
}
