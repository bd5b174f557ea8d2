internal import Encodings

/// Reads a header line by line. It accepts exactly the grammar of `AgeHeader` and `Stanza`, and takes nothing behind
/// it.
struct HeaderReader {
    /// Most bytes of a line, without its line feed.
    static let maxLine = 8 * 1024
    /// Most bytes of a stanza's body.
    static let maxBody = 64 * 1024
    static let maxStanzas = 1000
    /// Most bytes of a header.
    static let maxHeader = 1 << 20

    private let source: ByteSource
    private var received: [UInt8] = []

    /// Reads a header from the start of a file.
    /// - Throws: `.header`, or what the source throws.
    static func read(from source: ByteSource) throws -> AgeHeader {
        var reader = HeaderReader(source: source)
        return try reader.read()
    }

    private init(source: ByteSource) { self.source = source }

    private mutating func read() throws -> AgeHeader {
        try readVersion()
        var stanzas: [Stanza] = []
        while true {
            let line = try nextLine()
            if line.starts(with: AgeHeader.endIntro.utf8) {
                guard !stanzas.isEmpty else { throw AgeError.header(.stanza) }
                let code = try Self.code(of: line)
                let covered = received.dropLast(line.count + 1) + AgeHeader.endIntro.utf8
                return AgeHeader(stanzas: stanzas, covered: Array(covered), code: code)
            }
            let arguments = try Stanza.arguments(of: line)
            guard stanzas.count < Self.maxStanzas else { throw AgeError.header(.tooLarge) }
            stanzas.append(Stanza(arguments: arguments, body: try readBody()))
        }
    }

    private mutating func readVersion() throws {
        let name = AgeHeader.version.utf8.prefix { $0 != UInt8(ascii: "/") } + [UInt8(ascii: "/")]
        guard try source.peek(name.count).elementsEqual(name) else { throw AgeError.header(.notAge) }
        let line = try nextLine()
        guard line.elementsEqual(AgeHeader.version.utf8) else {
            let version = line.dropFirst(name.count)
            guard version.count <= 32, version.allSatisfy({ (0x21...0x7e).contains($0) }) else {
                throw AgeError.header(.notAge)
            }
            throw AgeError.header(.version(String(decoding: version, as: UTF8.self)))
        }
    }

    private mutating func readBody() throws -> [UInt8] {
        var body: [UInt8] = []
        while true {
            let line = try nextLine()
            body += try Stanza.bytes(of: line)
            guard body.count <= Self.maxBody else { throw AgeError.header(.tooLarge) }
            if line.count < Stanza.lineCharacters { return body }
        }
    }

    /// The next line, without its line feed.
    private mutating func nextLine() throws -> [UInt8] {
        switch try source.line(limit: Self.maxLine) {
        case .complete(let line):
            received += line
            received.append(UInt8(ascii: "\n"))
            guard received.count <= Self.maxHeader else { throw AgeError.header(.tooLarge) }
            guard line.last != UInt8(ascii: "\r") else { throw AgeError.header(.carriageReturn) }
            return line
        case .unterminated: throw AgeError.header(.truncated)
        case .tooLong: throw AgeError.header(.tooLarge)
        }
    }

    private static func code(of line: [UInt8]) throws -> [UInt8] {
        let text = Array(line.dropFirst(AgeHeader.endIntro.utf8.count + 1))
        guard line.starts(with: (AgeHeader.endIntro + " ").utf8),
            let code = Base64.decodePublic(text.span, isPadded: false), code.count == AgeHeader.codeCount
        else { throw AgeError.header(.authenticationCode) }
        return code
    }
}
