internal import SecureMemory

/// Reads the texts of an Android file of preferences: `<map><string name="…">…</string>…</map>`.
///
/// It knows so much of XML as Android writes: a declaration, elements, attributes, text, the five named entities and
/// numbers. It refuses all else, for example document types, comments and CDATA.
struct PreferencesXML {
    private static let maxDepth = 8
    private static let maxElements = 10_000
    private static let maxAttributes = 8

    private let bytes: [UInt8]
    private var position = 0

    private init(_ file: Span<UInt8>) { bytes = file.revealBytes() }

    /// The texts of those names, which are elements `string` of the map itself.
    /// - Parameter file: UTF-8; its length is checked before.
    /// - Throws: `.malformed`, also if one of the names stands twice.
    static func strings(_ file: Span<UInt8>, named names: [String]) throws(ClientStorageError) -> [String: String] {
        var reader = PreferencesXML(file)
        return try reader.map(names)
    }

    private struct Tag {
        let name: String
        var attribute: String?
        let isEnd: Bool
        var isEmpty = false
    }

    private mutating func map(_ names: [String]) throws(ClientStorageError) -> [String: String] {
        skipBlanks()
        if accept("<?xml") {
            while !accept("?>") {
                guard position < bytes.count else { throw .malformed }
                position += 1
            }
        }
        skipBlanks()
        let root = try tag()
        guard root.name == "map", !root.isEnd else { throw .malformed }
        var open = root.isEmpty ? [] : [root]
        var texts: [String: String] = [:]
        var elements = 0
        while let parent = open.last {
            let text = try text()
            let next = try tag()
            if next.isEnd {
                guard next.name == parent.name else { throw .malformed }
                open.removeLast()
                guard open.count == 1, parent.name == "string", let name = parent.attribute, names.contains(name) else {
                    continue
                }
                guard texts.updateValue(text, forKey: name) == nil else { throw .malformed }
            } else {
                elements += 1
                // A text has no elements in it.
                guard elements <= Self.maxElements, open.count < Self.maxDepth, parent.name != "string" else {
                    throw .malformed
                }
                if !next.isEmpty { open.append(next) }
            }
        }
        skipBlanks()
        guard position == bytes.count else { throw .malformed }
        return texts
    }

    /// Reads `<name attribute="…">`, `<name/>` or `</name>`.
    private mutating func tag() throws(ClientStorageError) -> Tag {
        guard accept("<") else { throw .malformed }
        let isEnd = accept("/")
        var tag = Tag(name: try name(), isEnd: isEnd)
        for _ in 0...Self.maxAttributes {
            skipBlanks()
            if accept(">") { return tag }
            guard !isEnd else { throw .malformed }
            if accept("/>") {
                tag.isEmpty = true
                return tag
            }
            let attribute = try name()
            guard accept("=") else { throw .malformed }
            let quote = accept("\"") ? UInt8(ascii: "\"") : UInt8(ascii: "'")
            guard quote == UInt8(ascii: "\"") || accept("'") else { throw .malformed }
            let value = try characters(until: quote)
            position += 1
            if attribute == "name" {
                guard tag.attribute == nil else { throw .malformed }
                tag.attribute = value
            }
        }
        throw .malformed
    }

    private mutating func name() throws(ClientStorageError) -> String {
        let start = position
        while position < bytes.count, Self.isName(bytes[position]) { position += 1 }
        guard (1...64).contains(position - start) else { throw .malformed }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func text() throws(ClientStorageError) -> String { try characters(until: UInt8(ascii: "<")) }

    /// Text up to a character, which has to come.
    private mutating func characters(until end: UInt8) throws(ClientStorageError) -> String {
        var text: [UInt8] = []
        while position < bytes.count, bytes[position] != end {
            switch bytes[position] {
            case UInt8(ascii: "<"): throw .malformed
            case UInt8(ascii: "&"): text += try entity()
            default:
                text.append(bytes[position])
                position += 1
            }
        }
        guard position < bytes.count, let text = String(validating: text, as: UTF8.self) else { throw .malformed }
        return text
    }

    private mutating func entity() throws(ClientStorageError) -> [UInt8] {
        position += 1
        let start = position
        while position < bytes.count, bytes[position] != UInt8(ascii: ";") {
            position += 1
            guard position - start <= 8 else { throw .malformed }
        }
        guard position < bytes.count else { throw .malformed }
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
        guard name.utf8.first == UInt8(ascii: "#") else { throw .malformed }
        let isHexadecimal = name.utf8.dropFirst().first == UInt8(ascii: "x")
        let digits = name.utf8.dropFirst(isHexadecimal ? 2 : 1)
        guard !digits.isEmpty, digits.first != UInt8(ascii: "+"),
            let code = UInt32(Substring(digits), radix: isHexadecimal ? 16 : 10), code != 0,
            let scalar = Unicode.Scalar(code)
        else { throw .malformed }
        return Array(String(scalar).utf8)
    }

    private mutating func accept(_ text: StaticString) -> Bool {
        let wanted = Array(text.description.utf8)
        guard bytes.count - position >= wanted.count,
            bytes[position..<position + wanted.count].elementsEqual(wanted)
        else { return false }
        position += wanted.count
        return true
    }

    private mutating func skipBlanks() {
        while position < bytes.count, [0x20, 0x09, 0x0a, 0x0d].contains(bytes[position]) { position += 1 }
    }

    private static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "_-.:".utf8.contains(byte)
        }
    }
}
