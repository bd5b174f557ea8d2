internal import SafeStore

// The headers that a Safe server reads (RFC 9110). A header that is malformed is refused, one that is missing is not:
// the apps leave some of the whitepaper's out.

extension ServerRequest {
    private static let maxTags = 32
    private static let maxTagBytes = 256
    private static let quote = UInt8(ascii: "\"")

    /// Whether the answer may have this media type: `Accept` is missing, empty, or names the type or a range with it.
    /// - Parameter type: in lower case.
    func accepts(_ type: String) -> Bool {
        let ranges = values("accept").flatMap { $0.split(separator: ",") }.map(Self.mediaType)
        guard ranges.contains(where: { !$0.isEmpty }) else { return true }
        let family = type.prefix { $0 != "/" } + "/*"
        return ranges.contains { $0 == type || $0 == family || $0 == "*/*" }
    }

    /// Whether the body is said to be of this media type, or of none. Parameters do not count.
    func hasContent(_ type: String) -> Bool {
        values("content-type").map { Self.mediaType($0[...]) }.allSatisfy { $0.isEmpty || $0 == type }
    }

    private static func mediaType(_ value: Substring) -> String {
        trimmed(value.prefix { $0 != ";" }).lowercased()
    }

    /// Whether the body is sent whole and as it is: no part of a body, no compression.
    var isWhole: Bool {
        values("content-range").isEmpty
            && values("content-encoding").allSatisfy { Self.trimmed($0[...]).lowercased() == "identity" }
    }

    /// The announced length of the body.
    enum BodyLength: Equatable {
        /// It is not announced, as in a chunked body.
        case unknown
        /// In bytes; `Int.max` for a larger number.
        case bytes(Int)
        /// Not a number, or two different ones.
        case malformed
    }

    var bodyLength: BodyLength {
        var found = BodyLength.unknown
        for value in values("content-length") {
            let digits = Array(Self.trimmed(value[...]).utf8)
            guard !digits.isEmpty, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
                return .malformed
            }
            let length = BodyLength.bytes(Int(String(decoding: digits, as: UTF8.self)) ?? .max)
            guard found == .unknown || found == length else { return .malformed }
            found = length
        }
        return found
    }

    /// The conditions of a write; nil if they are malformed.
    var preconditions: Preconditions? {
        guard let match = Self.tags(values("if-match"), isWeakAllowed: false),
            let noneMatch = Self.tags(values("if-none-match"), isWeakAllowed: true)
        else { return nil }
        return Preconditions(match: match, noneMatch: noneMatch)
    }

    /// - Parameter isWeakAllowed: whether a weak tag matches the strong one of the same text (RFC 9110, 8.8.3.2).
    /// - Returns: nil if the values are malformed; `.some(nil)` without any.
    private static func tags(_ values: [String], isWeakAllowed: Bool) -> Preconditions.Tags?? {
        guard !values.isEmpty else { return .some(nil) }
        let text = trimmed(values.joined(separator: ",")[...])
        if text == "*" { return .some(.any) }
        var rest = Array(text.utf8)[...]
        var tags: [String] = []
        var count = 0
        while true {
            rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: ",") }
            if rest.isEmpty { break }
            let isWeak = rest.starts(with: "W/".utf8)
            if isWeak { rest = rest.dropFirst(2) }
            guard rest.first == quote, let end = rest.dropFirst().firstIndex(of: quote) else { return nil }
            let tag = rest[...end]
            guard tag.count <= maxTagBytes, tag.allSatisfy({ $0 >= 0x21 && $0 != 0x7f }) else { return nil }
            if !isWeak || isWeakAllowed { tags.append(String(decoding: tag, as: UTF8.self)) }
            count += 1
            rest = rest[(end + 1)...].drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            guard count <= maxTags, rest.isEmpty || rest.first == UInt8(ascii: ",") else { return nil }
        }
        return count == 0 ? nil : .some(.these(tags))
    }

    private static func trimmed(_ text: Substring) -> String {
        let blanks: Set<UInt8> = [UInt8(ascii: " "), UInt8(ascii: "\t")]
        var bytes = Array(text.utf8)[...]
        while let first = bytes.first, blanks.contains(first) { bytes.removeFirst() }
        while let last = bytes.last, blanks.contains(last) { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}
