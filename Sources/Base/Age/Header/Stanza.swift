internal import Encodings

// A stanza of the header (C2SP age, "Header"):
//
//   -> TYPE ARGUMENT …⏎         each of one or more characters 0x21–0x7E, separated by one blank
//   BASE64 of 48 bytes⏎         zero or more lines of 64 characters
//   BASE64 of 0 to 47 bytes⏎    one line of fewer than 64, always

/// A recipient of a file: its type, public arguments, and the wrapped file key.
struct Stanza: Equatable {
    /// Bytes in a full line of the body, which has 64 characters.
    static let lineBytes = 48
    static let lineCharacters = 64
    static let intro = "->"

    /// The type, for example `X25519`, and its arguments.
    let arguments: [String]
    let body: [UInt8]

    var type: String { arguments[0] }

    /// Reads the first line.
    /// - Returns: the type and the arguments.
    /// - Throws: `.header(.stanza)`.
    static func arguments(of line: [UInt8]) throws(AgeError) -> [String] {
        let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard parts.count >= 2, parts[0].elementsEqual(intro.utf8) else { throw .header(.stanza) }
        var arguments: [String] = []
        for part in parts.dropFirst() {
            guard !part.isEmpty, part.allSatisfy({ (0x21...0x7e).contains($0) }) else { throw .header(.stanza) }
            arguments.append(String(decoding: part, as: UTF8.self))
        }
        return arguments
    }

    /// Reads a line of the body.
    /// - Throws: `.header(.body)`.
    static func bytes(of line: [UInt8]) throws(AgeError) -> [UInt8] {
        guard line.count <= lineCharacters, let bytes = Base64.decodePublic(line.span, isPadded: false) else {
            throw .header(.body)
        }
        return bytes
    }

    /// The lines, with the line feeds.
    var encoded: [UInt8] {
        var lines = ([Self.intro] + arguments).joined(separator: " ") + "\n"
        for start in stride(from: 0, through: body.count, by: Self.lineBytes) {
            let line = Array(body[start..<min(start + Self.lineBytes, body.count)])
            lines += Base64.encodeUnpadded(line.span) + "\n"
        }
        return Array(lines.utf8)
    }
}
