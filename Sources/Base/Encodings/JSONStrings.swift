// Strings of a JSON text.
//
// Most strings have no escapes: their bytes in the document are their text, and one pass finds the closing quote. Other
// strings are decoded byte by byte.

extension JSONScanner {
    /// A member's name.
    struct Name {
        var text: String
        /// The range between its quotes if it has no escapes. These bytes are its text.
        var place: Range<Int>?
    }

    /// Reads a string, from its opening quote past its closing one.
    mutating func string(_ bytes: Span<UInt8>) throws(JSONError) -> String {
        let quote = position
        guard let place = plainString(bytes) else { return try escapedString(bytes) }
        return try Self.text(bytes.extracting(place), offset: quote)
    }

    /// Reads a member's name, as `string`, through a cache.
    mutating func memberName(_ bytes: Span<UInt8>) throws(JSONError) -> Name {
        let quote = position
        guard let place = plainString(bytes) else { return Name(text: try escapedString(bytes), place: nil) }
        return Name(text: try names.text(at: place, of: bytes, offset: quote), place: place)
    }

    /// The text of bytes without escapes.
    /// - Parameter offset: offset of the string, for the error.
    static func text(_ bytes: Span<UInt8>, offset: Int) throws(JSONError) -> String {
        do throws(UTF8.ValidationError) {
            return String(copying: try UTF8Span(validating: bytes))
        } catch {
            throw .notUnicode(offset: offset)
        }
    }

    /// Skips a string without escapes.
    /// - Returns: the range of its text; nil without moving if it has an escape, a control character, or no closing
    ///   quote.
    private mutating func plainString(_ bytes: Span<UInt8>) -> Range<Int>? {
        let start = position + 1
        var index = start
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") {
                position = index + 1
                return start..<index
            }
            guard byte >= 0x20, byte != UInt8(ascii: "\\") else { return nil }
            index += 1
        }
        return nil
    }

    private mutating func escapedString(_ bytes: Span<UInt8>) throws(JSONError) -> String {
        let quote = position
        position += 1
        var text: [UInt8] = []
        try characters(bytes) { text.append($0) }
        return try Self.text(text.span, offset: quote)
    }

    /// Decodes a string up to its closing quote, and skips that.
    mutating func characters(_ bytes: Span<UInt8>, to write: (UInt8) -> Void) throws(JSONError) {
        while let byte = peek(bytes) {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return
            case UInt8(ascii: "\\"): try escape(bytes, to: write)
            case 0..<0x20: throw .syntax(offset: position - 1)
            default: write(byte)
            }
        }
        // Reached for truncated text only: a range for `unescape` ends at its quote.
        throw .syntax(offset: position)
    }

    private mutating func escape(_ bytes: Span<UInt8>, to write: (UInt8) -> Void) throws(JSONError) {
        let start = position - 1
        guard let byte = peek(bytes) else { throw .syntax(offset: position) }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): write(byte)
        case UInt8(ascii: "b"): write(0x08)
        case UInt8(ascii: "f"): write(0x0c)
        case UInt8(ascii: "n"): write(0x0a)
        case UInt8(ascii: "r"): write(0x0d)
        case UInt8(ascii: "t"): write(0x09)
        case UInt8(ascii: "u"):
            var code = try hexadecimal(bytes)
            if (0xd800..<0xdc00).contains(code) {
                guard accept(UInt8(ascii: "\\"), bytes), accept(UInt8(ascii: "u"), bytes) else {
                    throw .notUnicode(offset: start)
                }
                let low = try hexadecimal(bytes)
                guard (0xdc00..<0xe000).contains(low) else { throw .notUnicode(offset: start) }
                code = 0x10000 + (code - 0xd800) << 10 + (low - 0xdc00)
            }
            // Refuses a lone low surrogate, and U+0000, which ends strings in many readers.
            guard code != 0, let scalar = Unicode.Scalar(code) else { throw .notUnicode(offset: start) }
            for unit in UTF8.encode(scalar)! { write(unit) }
        default: throw .syntax(offset: start)
        }
    }

    private mutating func hexadecimal(_ bytes: Span<UInt8>) throws(JSONError) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek(bytes), let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw .syntax(offset: position)
            }
            position += 1
            code = code << 4 | UInt32(digit)
        }
        return code
    }
}
