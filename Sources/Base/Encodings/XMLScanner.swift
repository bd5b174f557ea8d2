/// Reads the elements of an XML document strictly, and checks limits before it allocates.
///
/// It knows so much of XML as programs write: a declaration, elements, attributes, text, the five named entities and
/// numbers. It refuses all else, for example document types, comments and CDATA, and a document without its end.
package struct XMLScanner {
    /// Limits of a document. Names have at most 64 bytes, and elements at most 8 attributes.
    package struct Limits: Sendable {
        /// Deepest nesting of elements, the root being 1.
        package let depth: Int
        /// Most elements in the whole document, without the root.
        package let elements: Int

        package init(depth: Int, elements: Int) {
            self.depth = depth
            self.elements = elements
        }
    }

    /// A step through the document. An empty element (`<a/>`) begins and ends.
    package enum Event: Equatable, Sendable {
        case start(name: String, attributes: [String: String])
        /// The end of the element that was begun last, with the text before its end tag: all of its text if it has no
        /// elements in it.
        case end(name: String, text: String)
    }

    private static let maxNameCount = 64
    private static let maxAttributes = 8

    private let bytes: [UInt8]
    private let limits: Limits
    private var position = 0
    private var elements = 0
    /// The names of the elements that have begun and not ended.
    private var open: [String] = []
    /// An empty element has begun, and its end is the next event.
    private var isEmpty = false

    /// - Parameter bytes: a document in UTF-8, which is not secret. The caller limits its length.
    package init(_ bytes: [UInt8], limits: Limits) {
        self.bytes = bytes
        self.limits = limits
    }

    /// The next event.
    /// - Returns: nil at the end of the document, when the root has ended.
    /// - Throws: `XMLError`.
    package mutating func next() throws(XMLError) -> Event? {
        if isEmpty {
            isEmpty = false
            return .end(name: open.removeLast(), text: "")
        }
        guard !open.isEmpty else { return position == 0 ? try root() : try end() }
        let text = try characters(until: UInt8(ascii: "<"))
        guard accept("</") else { return try start() }
        let start = position
        guard try name() == open.last else { throw .syntax(offset: start) }
        skipBlanks()
        guard accept(">") else { throw .syntax(offset: position) }
        return .end(name: open.removeLast(), text: text)
    }

    private mutating func root() throws(XMLError) -> Event {
        skipBlanks()
        if accept("<?xml") {
            guard position < bytes.count, Self.isBlank(bytes[position]) else { throw .syntax(offset: position) }
            while !accept("?>") {
                guard position < bytes.count else { throw .syntax(offset: position) }
                position += 1
            }
        }
        skipBlanks()
        return try start()
    }

    /// Nothing but blanks comes after the root.
    private mutating func end() throws(XMLError) -> Event? {
        skipBlanks()
        guard position == bytes.count else { throw .syntax(offset: position) }
        return nil
    }

    /// Reads `<name attribute="…">` or `<name/>`.
    private mutating func start() throws(XMLError) -> Event {
        guard accept("<") else { throw .syntax(offset: position) }
        guard open.count < limits.depth else { throw .tooDeep(limit: limits.depth) }
        guard elements <= limits.elements else { throw .tooManyElements(limit: limits.elements) }
        elements += 1
        let name = try name()
        var attributes: [String: String] = [:]
        while true {
            let before = position
            skipBlanks()
            if accept(">") { break }
            if accept("/>") {
                isEmpty = true
                break
            }
            let start = position
            guard start > before, attributes.count < Self.maxAttributes else { throw .syntax(offset: start) }
            let (attribute, value) = try attribute()
            guard attributes.updateValue(value, forKey: attribute) == nil else { throw .syntax(offset: start) }
        }
        open.append(name)
        return .start(name: name, attributes: attributes)
    }

    private mutating func attribute() throws(XMLError) -> (name: String, value: String) {
        let name = try name()
        guard accept("=") else { throw .syntax(offset: position) }
        let quote = accept("\"") ? UInt8(ascii: "\"") : UInt8(ascii: "'")
        guard quote == UInt8(ascii: "\"") || accept("'") else { throw .syntax(offset: position) }
        let start = position
        let value = try characters(until: quote)
        // XML 1.0, 3.3.3: other blanks would be read as spaces.
        guard bytes[start..<position].allSatisfy({ $0 == 0x20 || !Self.isBlank($0) }) else {
            throw .syntax(offset: start)
        }
        position += 1
        return (name, value)
    }

    private mutating func name() throws(XMLError) -> String {
        let start = position
        while position < bytes.count, Self.isName(bytes[position]) { position += 1 }
        guard (1...Self.maxNameCount).contains(position - start), !Self.isInsideName(bytes[start]) else {
            throw .syntax(offset: start)
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// Text up to a character, which has to come.
    private mutating func characters(until end: UInt8) throws(XMLError) -> String {
        let start = position
        var text: [UInt8] = []
        while position < bytes.count, bytes[position] != end {
            switch bytes[position] {
            case UInt8(ascii: "<"): throw .syntax(offset: position)
            case UInt8(ascii: "&"): text += try entity()
            case 0x0d:
                // XML 1.0, 2.11: one line feed for each end of a line.
                position += 1
                if position < bytes.count, bytes[position] == 0x0a { position += 1 }
                text.append(0x0a)
            case let byte:
                guard byte >= 0x20 || Self.isBlank(byte) else { throw .syntax(offset: position) }
                text.append(byte)
                position += 1
            }
        }
        guard position < bytes.count else { throw .syntax(offset: position) }
        guard let text = String(validating: text, as: UTF8.self) else { throw .notUnicode(offset: start) }
        return text
    }

    private mutating func entity() throws(XMLError) -> [UInt8] {
        let before = position
        position += 1
        let start = position
        while position < bytes.count, bytes[position] != UInt8(ascii: ";") {
            position += 1
            guard position - start <= 8 else { throw .syntax(offset: before) }
        }
        guard position < bytes.count else { throw .syntax(offset: before) }
        let name = String(decoding: bytes[start..<position], as: UTF8.self)
        position += 1
        switch name {
        case "lt": return [UInt8(ascii: "<")]
        case "gt": return [UInt8(ascii: ">")]
        case "amp": return [UInt8(ascii: "&")]
        case "quot": return [UInt8(ascii: "\"")]
        case "apos": return [UInt8(ascii: "'")]
        default: break
        }
        guard name.utf8.first == UInt8(ascii: "#") else { throw .syntax(offset: before) }
        let isHexadecimal = name.utf8.dropFirst().first == UInt8(ascii: "x")
        let digits = name.utf8.dropFirst(isHexadecimal ? 2 : 1)
        guard !digits.isEmpty, digits.first != UInt8(ascii: "+"),
            let code = UInt32(Substring(digits), radix: isHexadecimal ? 16 : 10), code != 0,
            let scalar = Unicode.Scalar(code)
        else { throw .syntax(offset: before) }
        return Array(String(scalar).utf8)
    }

    private mutating func accept(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard bytes.count - position >= count,
            text.withUTF8Buffer({ unsafe bytes[position..<position + count].elementsEqual($0) })
        else { return false }
        position += count
        return true
    }

    private mutating func skipBlanks() {
        while position < bytes.count, Self.isBlank(bytes[position]) { position += 1 }
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d
    }

    private static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        default: byte == UInt8(ascii: "_") || byte == UInt8(ascii: ":") || isInsideName(byte)
        }
    }

    /// What a name does not begin with.
    private static func isInsideName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."): true
        default: false
        }
    }
}

/// Why a document is not read. It names no piece of the text; offsets are in bytes.
package enum XMLError: Error, Equatable, Sendable {
    case syntax(offset: Int)
    /// Invalid UTF-8 in the text that begins there.
    case notUnicode(offset: Int)
    case tooDeep(limit: Int)
    case tooManyElements(limit: Int)
}
