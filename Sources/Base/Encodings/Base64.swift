package import SecureMemory

/// Base64 of RFC 4648: standard alphabet, padded, no line breaks.
///
/// Characters are computed and not looked up, because the bytes may be a private key: a table index would leave traces
/// in the processor's cache.
package enum Base64 {
    /// The number of characters that encode `count` bytes.
    package static func encodedCount(_ count: Int) -> Int { (count + 2) / 3 * 4 }

    /// Encodes bytes that are not secret.
    package static func encode(_ bytes: Span<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(encodedCount(bytes.count))
        encode(bytes) { text.append($0) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Encodes a secret into guarded memory.
    package static func encode(_ bytes: Span<UInt8>, appendingTo buffer: inout SecureBuffer) {
        encode(bytes) { buffer.append($0) }
    }

    /// - Returns: nil if `text` is not canonical, padded Base64.
    package static func decode(_ text: Span<UInt8>) -> SecureBytes? {
        guard let count = paddedCount(text) else { return nil }
        var buffer = SecureBuffer(capacity: text.count / 4 * 3)
        guard decode(text.extracting(first: count), to: { buffer.append($0) }) else { return nil }
        return buffer.finish()
    }

    /// Decodes bytes that are not secret.
    /// - Parameter isPadded: whether the text ends in the padding that its length requires; if not, it must have none.
    /// - Returns: nil if `text` is not canonical.
    package static func decodePublic(_ text: Span<UInt8>, isPadded: Bool) -> [UInt8]? {
        guard let count = isPadded ? paddedCount(text) : text.count else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity((text.count + 3) / 4 * 3)
        guard decode(text.extracting(first: count), to: { bytes.append($0) }) else { return nil }
        return bytes
    }

    /// Encodes bytes that are not secret, without padding.
    package static func encodeUnpadded(_ bytes: Span<UInt8>) -> String {
        String(encode(bytes).prefix { $0 != "=" })
    }

    private static let padding = UInt8(ascii: "=")

    /// - Returns: the number of characters before the padding; nil if the length is not a multiple of 4.
    private static func paddedCount(_ text: Span<UInt8>) -> Int? {
        guard text.count.isMultiple(of: 4) else { return nil }
        let last = text.count - 1
        // How much padding there is, is the length of what is encoded.
        func isPadding(_ index: Int) -> Bool {
            ConstantTime.reveal(ConstantTime.mask(UInt32(text[index]), equals: UInt32(padding)))
        }
        return text.isEmpty || !isPadding(last) ? text.count : isPadding(last - 1) ? last - 1 : last
    }

    /// - Parameter text: without padding.
    /// - Returns: false if the text is not canonical; what was written is then meaningless.
    private static func decode(_ text: Span<UInt8>, to write: (UInt8) -> Void) -> Bool {
        guard text.count % 4 != 1 else { return false }
        var invalid: UInt32 = 0
        for start in stride(from: 0, to: text.count, by: 4) {
            let missing = max(0, start + 4 - text.count)
            var group: UInt32 = 0
            for index in start..<start + 4 - missing {
                let value = value(text[index])
                invalid |= value
                group = group << 6 | (value & 0x3f)
            }
            group <<= 6 * UInt32(missing)
            // The bits that a short group leaves unused must be zero, or two texts would mean the same.
            if missing > 0 { invalid |= (group & (missing == 1 ? 0xff : 0xffff)) << 16 }
            for shift in stride(from: 16, through: 8 * UInt32(missing), by: -8) {
                write(UInt8(truncatingIfNeeded: group >> shift))
            }
        }
        return !ConstantTime.reveal(invalid & ~0x3f)
    }

    private static func encode(_ bytes: Span<UInt8>, to write: (UInt8) -> Void) {
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let length = min(3, bytes.count - start)
            var group: UInt32 = 0
            for index in 0..<3 { group = group << 8 | (index < length ? UInt32(bytes[start + index]) : 0) }
            for index in 0..<4 {
                write(index <= length ? character(group >> UInt32(18 - 6 * index) & 0x3f) : UInt8(ascii: "="))
            }
        }
    }

    private static func character(_ value: UInt32) -> UInt8 {
        let text =
            ConstantTime.mask(value, from: 0, through: 25) & (value &+ 65)
            | ConstantTime.mask(value, from: 26, through: 51) & (value &+ 71)
            | ConstantTime.mask(value, from: 52, through: 61) & (value &- 4)
            | ConstantTime.mask(value, from: 62, through: 62) & 43
            | ConstantTime.mask(value, from: 63, through: 63) & 47
        return UInt8(truncatingIfNeeded: text)
    }

    // 0...63; a value with higher bits set if the character is not of the alphabet.
    private static func value(_ character: UInt8) -> UInt32 {
        let text = UInt32(character)
        let upper = ConstantTime.mask(text, from: 65, through: 90)
        let lower = ConstantTime.mask(text, from: 97, through: 122)
        let digit = ConstantTime.mask(text, from: 48, through: 57)
        let plus = ConstantTime.mask(text, from: 43, through: 43)
        let slash = ConstantTime.mask(text, from: 47, through: 47)
        let value =
            upper & (text &- 65) | lower & (text &- 71) | digit & (text &+ 4) | plus & 62 | slash & 63
        return value | ~(upper | lower | digit | plus | slash) & 0x8000_0000
    }
}
