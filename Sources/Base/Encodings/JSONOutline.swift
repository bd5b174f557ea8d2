/// The members of a JSON object and their places in its text, without decoded values.
///
/// The text must be *canonical*: exactly the bytes that `JSONValue.sorted.encoded` makes. A member can then be inserted
/// as text, and the result is canonical, too. Grammar, limits and encoding are checked as in `JSONScanner`. Text that
/// is not canonical is not an error: the caller reads it with the scanner.
package struct JSONOutline {
    /// One member.
    package struct Member {
        /// Bytes from the opening quote of the name to the end of the value.
        package fileprivate(set) var range: Range<Int>
        /// Bytes of the name between its quotes, without escapes.
        package let name: Range<Int>
        /// Bytes of the value.
        package fileprivate(set) var value: Range<Int>
        /// Number of elements of an array; 0 for any other value.
        package fileprivate(set) var elements: Int
    }

    /// The members, in order of their names.
    package private(set) var members: [Member] = []
    /// Number of values in the text, including the object itself.
    package private(set) var values = 0

    /// - Returns: nil if the text is not an object, is not canonical, has an escape in a name, or exceeds the limits.
    package init?(of bytes: Span<UInt8>, limits: JSONScanner.Limits = .init()) {
        var walk = Walk(limits)
        guard walk.object(bytes, depth: 0, into: &members), walk.position == bytes.count else { return nil }
        values = walk.values
    }

    /// The member of that name; nil if it is missing.
    package func member(_ name: StaticString, in bytes: Span<UInt8>) -> Member? {
        members.first { Self.order(name, $0.name, bytes) == 0 }
    }

    /// The first member whose name comes after `name`: a new member of that name is inserted before it.
    package func member(after name: StaticString, in bytes: Span<UInt8>) -> Member? {
        members.first { Self.order(name, $0.name, bytes) < 0 }
    }

    /// Negative if `name` comes before the name at `place`; 0 if both are the same.
    private static func order(_ name: StaticString, _ place: Range<Int>, _ bytes: Span<UInt8>) -> Int {
        var index = place.lowerBound
        for byte in name.description.utf8 {
            guard index < place.upperBound else { return 1 }
            if bytes[index] != byte { return byte < bytes[index] ? -1 : 1 }
            index += 1
        }
        return index - place.upperBound
    }
}

/// Parses canonical text. Each function parses one piece, and returns false if it is not canonical.
private struct Walk {
    private let limits: JSONScanner.Limits
    var position = 0
    var values = 0

    init(_ limits: JSONScanner.Limits) { self.limits = limits }

    /// - Parameter elements: set to the number of elements of an array.
    private mutating func value(_ bytes: Span<UInt8>, depth: Int, _ elements: inout Int) -> Bool {
        guard position < bytes.count, depth < limits.depth else { return false }
        switch bytes[position] {
        case UInt8(ascii: "\""):
            values += 1
            return values <= limits.values && string(bytes)
        case UInt8(ascii: "{"):
            var none: [JSONOutline.Member]?
            return object(bytes, depth: depth, into: &none)
        case UInt8(ascii: "["): return array(bytes, depth: depth, &elements)
        case UInt8(ascii: "t"): return word("true", bytes)
        case UInt8(ascii: "f"): return word("false", bytes)
        case UInt8(ascii: "n"): return word("null", bytes)
        default: return number(bytes)
        }
    }

    mutating func object(_ bytes: Span<UInt8>, depth: Int, into members: inout [JSONOutline.Member]) -> Bool {
        var found: [JSONOutline.Member]? = []
        guard object(bytes, depth: depth, into: &found), let found else { return false }
        members = found
        return true
    }

    /// - Parameter members: nil if the caller does not need them.
    private mutating func object(
        _ bytes: Span<UInt8>, depth: Int, into members: inout [JSONOutline.Member]?
    ) -> Bool {
        values += 1
        guard values <= limits.values, depth < limits.depth, accept(UInt8(ascii: "{"), bytes) else { return false }
        if accept(UInt8(ascii: "}"), bytes) { return true }
        var last: Range<Int>?
        while true {
            let start = position
            guard let name = name(bytes), last.map({ precedes($0, name, bytes) }) ?? true,
                accept(UInt8(ascii: ":"), bytes)
            else { return false }
            last = name
            let valueStart = position
            var elements = 0
            guard value(bytes, depth: depth + 1, &elements) else { return false }
            members?.append(
                .init(range: start..<position, name: name, value: valueStart..<position, elements: elements))
            if accept(UInt8(ascii: "}"), bytes) { return true }
            guard accept(UInt8(ascii: ","), bytes) else { return false }
        }
    }

    private mutating func array(_ bytes: Span<UInt8>, depth: Int, _ elements: inout Int) -> Bool {
        values += 1
        position += 1
        guard values <= limits.values else { return false }
        if accept(UInt8(ascii: "]"), bytes) { return true }
        while true {
            var inner = 0
            guard value(bytes, depth: depth + 1, &inner) else { return false }
            elements += 1
            if accept(UInt8(ascii: "]"), bytes) { return true }
            guard accept(UInt8(ascii: ","), bytes) else { return false }
        }
    }

    private mutating func word(_ word: StaticString, _ bytes: Span<UInt8>) -> Bool {
        values += 1
        for character in word.description.utf8 { guard accept(character, bytes) else { return false } }
        return values <= limits.values
    }

    private mutating func number(_ bytes: Span<UInt8>) -> Bool {
        values += 1
        _ = accept(UInt8(ascii: "-"), bytes)
        guard accept(UInt8(ascii: "0"), bytes) || digits(bytes) else { return false }
        if accept(UInt8(ascii: "."), bytes) { guard digits(bytes) else { return false } }
        if accept(UInt8(ascii: "e"), bytes) || accept(UInt8(ascii: "E"), bytes) {
            if !accept(UInt8(ascii: "+"), bytes) { _ = accept(UInt8(ascii: "-"), bytes) }
            guard digits(bytes) else { return false }
        }
        return values <= limits.values
    }

    private mutating func digits(_ bytes: Span<UInt8>) -> Bool {
        let start = position
        while position < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position]) {
            position += 1
        }
        return position > start
    }

    private mutating func name(_ bytes: Span<UInt8>) -> Range<Int>? {
        guard accept(UInt8(ascii: "\""), bytes) else { return nil }
        let start = position
        let isASCII = skipPlain(bytes)
        guard accept(UInt8(ascii: "\""), bytes), isASCII || isUnicode(bytes.extracting(start..<position)) else {
            return nil
        }
        return start..<position - 1
    }

    private mutating func string(_ bytes: Span<UInt8>) -> Bool {
        position += 1
        let start = position
        var isASCII = true
        while true {
            if !skipPlain(bytes) { isASCII = false }
            if accept(UInt8(ascii: "\""), bytes) { return isASCII || isUnicode(bytes.extracting(start..<position)) }
            guard accept(UInt8(ascii: "\\"), bytes), escape(bytes) else { return false }
        }
    }

    private func isUnicode(_ bytes: Span<UInt8>) -> Bool { (try? UTF8Span(validating: bytes)) != nil }

    /// Skips to a quote, a backslash, a control character, or the end.
    /// - Returns: whether all of it is ASCII.
    private mutating func skipPlain(_ bytes: Span<UInt8>) -> Bool {
        var index = position
        var all: UInt8 = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { break }
            all |= byte
            index += 1
        }
        position = index
        return all < 0x80
    }

    /// Parses what follows a backslash, in the spelling of `JSONValue.encoded`.
    private mutating func escape(_ bytes: Span<UInt8>) -> Bool {
        guard position < bytes.count else { return false }
        position += 1
        switch bytes[position - 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return true
        case UInt8(ascii: "u"):
            guard position + 4 <= bytes.count, bytes[position] == UInt8(ascii: "0"),
                bytes[position + 1] == UInt8(ascii: "0")
            else { return false }
            let digits = [bytes[position + 2], bytes[position + 3]]
            position += 4
            // Those that have no letter, spelled as `Hex.encode` does. U+0000 is refused by the scanner.
            return (1..<0x20).contains {
                Hex.encode([$0]).utf8.elementsEqual(digits) && ![0x09, 0x0a, 0x0d].contains($0)
            }
        default: return false
        }
    }

    private mutating func accept(_ byte: UInt8, _ bytes: Span<UInt8>) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }
}
