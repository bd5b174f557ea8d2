/// Base32 of RFC 4648, upper case `A–Z2–7`, for whole groups of 5 bytes (8 characters).
///
/// Both backup codes are whole groups (50 and 65 bytes), so padding never occurs in one.
package enum Base32 {
    /// The value 0...31 of an upper-case character of the alphabet; nil for any other byte.
    package static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "2")...UInt8(ascii: "7"): character - UInt8(ascii: "2") + 26
        default: nil
        }
    }

    /// - Parameter bytes: a multiple of 5 bytes.
    /// - Returns: 8 characters for each 5 bytes, ASCII.
    package static func encode(_ bytes: Span<UInt8>) -> [UInt8] {
        precondition(bytes.count.isMultiple(of: 5))
        var characters: [UInt8] = []
        characters.reserveCapacity(bytes.count / 5 * 8)
        for start in stride(from: 0, to: bytes.count, by: 5) {
            var group: UInt64 = 0
            for index in start..<start + 5 { group = group << 8 | UInt64(bytes[index]) }
            for shift in stride(from: 35, through: 0, by: -5) {
                let value = UInt8(truncatingIfNeeded: group >> UInt64(shift)) & 0x1f
                characters.append(value < 26 ? UInt8(ascii: "A") + value : UInt8(ascii: "2") + value - 26)
            }
        }
        return characters
    }

    /// - Returns: 5 bytes for each 8 characters; nil if the length is not a multiple of 8, or if a character is not of
    ///   the alphabet.
    package static func decode(_ characters: [UInt8]) -> [UInt8]? {
        guard characters.count.isMultiple(of: 8) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(characters.count / 8 * 5)
        for start in stride(from: 0, to: characters.count, by: 8) {
            var group: UInt64 = 0
            for index in start..<start + 8 {
                guard let value = value(of: characters[index]) else { return nil }
                group = group << 5 | UInt64(value)
            }
            for shift in stride(from: 32, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: group >> UInt64(shift)))
            }
        }
        return bytes
    }
}
