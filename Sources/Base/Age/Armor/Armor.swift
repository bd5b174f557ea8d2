// The armor of a file (C2SP age, "ASCII armor"): Base64 with padding, in lines of 64 characters, the last one of 1 to
// 64, between two labels. Lines end in LF, when read also in CR LF. White space may be before and behind everything.

/// The text around an armored file.
enum Armor {
    static let begin = "-----BEGIN AGE ENCRYPTED FILE-----"
    static let end = "-----END AGE ENCRYPTED FILE-----"
    /// Bytes in a full line, which has 64 characters.
    static let lineBytes = 48
    static let lineCharacters = 64
    /// Most bytes of white space before the first line, and behind the last one.
    static let maxWhiteSpace = 1024

    /// Space, and tab to carriage return.
    static func isWhiteSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }

    /// Whether a file is probably armored: its first byte that is not white space begins a label.
    static func isLikely(_ source: ByteSource) throws -> Bool {
        let dashes = "-----".utf8
        let start = try source.peek(maxWhiteSpace + dashes.count).drop { isWhiteSpace($0) }
        return start.starts(with: dashes)
    }
}
