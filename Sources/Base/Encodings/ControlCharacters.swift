package import SecureMemory

/// The characters that move a terminal's cursor, turn its line or cannot be seen: Unicode's control and format
/// characters, and its separators of lines and paragraphs.
package enum ControlCharacters {
    /// Whether a character is one of them.
    package static func contains(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x7f else { return scalar.value < 0x20 }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    /// A piece of a text.
    package enum Piece {
        /// A range of bytes without any of these characters.
        case plain(Range<Int>)
        /// One of these characters.
        case control(Unicode.Scalar)
        /// A byte that is not UTF-8.
        case strange(UInt8)
    }

    /// Calls `body` with each piece of a text, in order.
    /// - Parameter bytes: UTF-8. Nothing of it is copied.
    package static func forEachPiece(
        of bytes: Span<UInt8>, _ body: (Piece) throws -> Void
    ) rethrows {
        var (start, index) = (0, 0)
        while index < bytes.count {
            let byte = bytes[index]
            if (0x20..<0x7f).contains(byte) {
                index += 1
                continue
            }
            let (scalar, count) = scalar(bytes, at: index)
            if let scalar, !contains(scalar) {
                index += count
                continue
            }
            if start < index { try body(.plain(start..<index)) }
            try body(scalar.map { .control($0) } ?? .strange(byte))
            index += count
            start = index
        }
        if start < index { try body(.plain(start..<index)) }
    }

    /// The character at an offset and its length in bytes; nil and 1 for a byte that is not UTF-8 (Unicode, table 3-7).
    private static func scalar(_ bytes: Span<UInt8>, at offset: Int) -> (Unicode.Scalar?, Int) {
        let first = bytes[offset]
        let (count, least): (Int, UInt32) =
            switch first {
            case ..<0x80: (1, 0)
            case 0xc2..<0xe0: (2, 0x80)
            case 0xe0..<0xf0: (3, 0x800)
            case 0xf0..<0xf5: (4, 0x10000)
            default: (0, 0)
            }
        guard count > 0, offset + count <= bytes.count else { return (nil, 1) }
        var value = count == 1 ? UInt32(first) : UInt32(first & (0x7f >> UInt8(count)))
        for index in offset + 1..<offset + count {
            guard bytes[index] & 0xc0 == 0x80 else { return (nil, 1) }
            value = value << 6 | UInt32(bytes[index] & 0x3f)
        }
        guard value >= least, let scalar = Unicode.Scalar(value) else { return (nil, 1) }
        return (scalar, count)
    }
}

extension JSONValue {
    /// The value as compact JSON for people and programs: as `encoded`, with control and format characters escaped as
    /// `\u…`, so that the text controls no terminal. What is stored, sealed or sent to a server is `encoded`.
    public var encodedForOutput: [UInt8] {
        let bytes = encoded
        var escaped: [UInt8] = []
        escaped.reserveCapacity(bytes.count)
        ControlCharacters.forEachPiece(of: bytes.span) { piece in
            switch piece {
            case .plain(let range): escaped += bytes[range]
            case .control(let scalar): escaped += Self.escape(scalar).utf8
            case .strange(let byte): escaped.append(byte)
            }
        }
        return escaped
    }

    /// A JSON text with control and format characters escaped as `\u…`.
    /// - Parameter text: compact JSON, in which these characters stand in strings only.
    package static func escapedForOutput(_ text: Span<UInt8>) -> SecureBytes {
        var count = 0
        ControlCharacters.forEachPiece(of: text) { piece in
            switch piece {
            case .plain(let range): count += range.count
            case .control(let scalar): count += escape(scalar).utf8.count
            case .strange: count += 1
            }
        }
        var escaped = SecureBuffer(capacity: count)
        ControlCharacters.forEachPiece(of: text) { piece in
            switch piece {
            case .plain(let range): escaped.append(text.extracting(range))
            case .control(let scalar): escaped.append(escape(scalar))
            case .strange(let byte): escaped.append(byte)
            }
        }
        return escaped.finish()
    }

    /// Surrogates for a character beyond the first plane.
    private static func escape(_ scalar: Unicode.Scalar) -> String {
        UTF16.encode(scalar)!.map { "\\u" + Hex.encode([UInt8($0 >> 8), UInt8($0 & 0xff)]) }.joined()
    }
}
