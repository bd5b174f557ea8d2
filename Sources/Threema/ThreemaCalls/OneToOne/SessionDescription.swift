internal import Encodings

// SDP (RFC 8866), line by line: a session section, then a section for each line that begins with m=. Lines end with
// CR LF, or in what is received with LF.

/// The lines of a session description, grouped by section.
struct SessionDescription {
    /// Longest description, in bytes. One that was received is far shorter, because it came in a message.
    static let maxBytes = 65_536
    /// Longest line, in bytes.
    static let maxLineBytes = 4096

    /// A section.
    struct Section {
        /// The line that begins it; empty for the session section.
        var media: String
        /// The lines after that one.
        var lines: [String]

        /// The word after `m=`.
        var kind: Substring { media.dropFirst(2).prefix { $0 != " " } }
        /// Of `m=KIND PORT PROTOCOL TYPE…` the types that are numbers, as those of sound and pictures are.
        var payloadTypes: [Substring] { media.split(separator: " ").dropFirst(3).filter { UInt8($0) != nil } }
        /// Whether the port is 0: the section was offered and not accepted (RFC 3264, 6), or it is offered for a bundle
        /// only, with `a=bundle-only` (RFC 8843, 6), and may carry something.
        var isRejected: Bool { media.split(separator: " ").dropFirst().first == "0" }

        /// Whether a line `a=rtpmap` says what a type is.
        func names(_ type: Substring) -> Bool {
            lines.contains { SessionDescription.payload("rtpmap", of: $0)?.type == type }
        }

        /// Of the line `a=rtpmap:TYPE CODEC/RATE…` the text after the type; nil without one, and if there are two that
        /// differ.
        func codec(of type: Substring) -> Substring? {
            let codecs = Set(
                lines.compactMap { SessionDescription.payload("rtpmap", of: $0) }.filter { $0.type == type }.map(\.rest)
            )
            return codecs.count == 1 ? codecs.first : nil
        }
    }

    /// The first one is the session section.
    var sections: [Section]

    /// - Throws: `.tooLong`, `.lineTooLong`, `.malformed` for a line that is not `LETTER=…`.
    init(_ text: String) throws(SDPError) {
        guard text.utf8.count <= Self.maxBytes else {
            throw .tooLong(limit: Self.maxBytes, actual: text.utf8.count)
        }
        sections = [Section(media: "", lines: [])]
        // By bytes: to `Character`, CR LF is one character, which is not a line feed.
        for bytes in text.utf8.split(separator: UInt8(ascii: "\n")) {
            let line = bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes
            guard !line.isEmpty else { continue }
            guard line.count <= Self.maxLineBytes else { throw .lineTooLong(limit: Self.maxLineBytes) }
            guard line.count >= 2, line[line.index(after: line.startIndex)] == UInt8(ascii: "="),
                !line.contains(UInt8(ascii: "\r"))
            else { throw .malformed }
            let content = String(Substring(line))
            if content.utf8.first == UInt8(ascii: "m") {
                sections.append(Section(media: content, lines: []))
            } else {
                sections[sections.count - 1].lines.append(content)
            }
        }
    }

    /// The lines, each with CR LF.
    var text: String {
        sections.map { section in
            ((section.media.isEmpty ? [] : [section.media]) + section.lines).map { $0 + "\r\n" }.joined()
        }.joined()
    }

    /// What follows the name of an attribute: of `a=NAME:VALUE` the value.
    static func value(_ name: String, of line: String) -> Substring? {
        let start = "a=\(name):"
        return line.hasPrefix(start) ? line.dropFirst(start.count) : nil
    }

    /// Payload type and the rest of `a=NAME:TYPE REST`.
    static func payload(_ name: String, of line: String) -> (type: Substring, rest: Substring)? {
        guard let value = value(name, of: line) else { return nil }
        let type = value.prefix { $0 != " " }
        return (type, value.dropFirst(type.count + 1))
    }
}

/// Why a session description is refused.
public enum SDPError: Error, Equatable, Sendable {
    case tooLong(limit: Int, actual: Int)
    case lineTooLong(limit: Int)
    /// A line is not one of SDP.
    case malformed
    /// There is sound, but not with the codec Opus.
    case noOpus
    /// There is no SHA-256 fingerprint of a certificate.
    case noFingerprint
    /// There are two different fingerprints, or one that is malformed.
    case badFingerprint
}
