internal import SecureMemory

/// Finds the characters that structure the text of a secret. Where they stand is public: they are not part of it.
package enum ASCII {
    /// Whether a byte is this ASCII character.
    package static func isSame(_ byte: UInt8, _ character: Unicode.Scalar) -> Bool {
        ConstantTime.reveal(ConstantTime.mask(UInt32(byte), equals: character.value))
    }

    /// Whether a byte is white space: a blank, or tab to carriage return.
    package static func isWhiteSpace(_ byte: UInt8) -> Bool {
        let byte = UInt32(byte)
        return ConstantTime.reveal(
            ConstantTime.mask(byte, equals: 0x20) | ConstantTime.mask(byte, from: 0x09, through: 0x0d))
    }

    /// Where a text is without the white space around it.
    package static func trimmed(_ text: Span<UInt8>) -> Range<Int> {
        var (start, end) = (0, text.count)
        while start < end, isWhiteSpace(text[start]) { start += 1 }
        while end > start, isWhiteSpace(text[end - 1]) { end -= 1 }
        return start..<end
    }

    /// Whether a byte is a blank, a tab, or a line break.
    package static func isBlank(_ byte: UInt8) -> Bool {
        let byte = UInt32(byte)
        return ConstantTime.reveal(
            ConstantTime.mask(byte, equals: 0x20) | ConstantTime.mask(byte, equals: 0x09)
                | ConstantTime.mask(byte, equals: 0x0a) | ConstantTime.mask(byte, equals: 0x0d))
    }
}
