internal import Encodings

// A file of identities, as `age-keygen` writes it, or of recipients: UTF-8 text with one key on a line. Empty lines and
// lines that begin with # are ignored.

/// Finds the keys in a text with one key on a line.
public struct AgeKeyFile: Sendable {
    /// Longest text that is read, in bytes.
    public static let limit = 1 << 20

    /// A line that is neither empty nor a comment.
    public struct Line: Equatable, Sendable {
        /// Its number, from 1.
        public let number: Int
        /// Its bytes in the text, without the line break and without blanks at its ends.
        public let bytes: Range<Int>
    }

    /// The lines that hold keys, in their order.
    public let lines: [Line]

    /// Finds the lines with keys. It does not read the keys themselves: give `text.extracting(line.bytes)` to
    /// `AgeIdentity`.
    /// - Throws: `.tooLong` for more than 1 MiB.
    public init(_ text: Span<UInt8>) throws(AgeKeyFileError) {
        guard text.count <= Self.limit else { throw .tooLong(limit: Self.limit) }
        var lines: [Line] = []
        var (start, number) = (0, 1)
        while start < text.count {
            var end = start
            while end < text.count, !ASCII.isSame(text[end], "\n") { end += 1 }
            var (first, last) = (start, end)
            while first < last, ASCII.isBlank(text[first]) { first += 1 }
            while first < last, ASCII.isBlank(text[last - 1]) { last -= 1 }
            if first < last, !ASCII.isSame(text[first], "#") {
                lines.append(Line(number: number, bytes: first..<last))
            }
            (start, number) = (end + 1, number + 1)
        }
        self.lines = lines
    }
}

/// Why a text was not searched for keys.
public enum AgeKeyFileError: Error, Equatable, Sendable {
    /// It is longer than `limit` bytes.
    case tooLong(limit: Int)
}
