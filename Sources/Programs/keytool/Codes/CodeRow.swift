import Encodings
import Primitives

/// A row of a printed code, with a check of its own: a typing error is found before all of the code is typed.
enum CodeRow {
    /// Groups in a row; the last row may have fewer.
    static let groupCount = 5
    /// Characters of a row's check.
    static let checkCount = 2

    /// The check: the first two Base32 characters of SHA-256 over the row's groups, upper case, with dashes
    /// between them.
    static func check(of groups: some Sequence<String>) -> String {
        let digest = SHA256.hash(Array(groups.joined(separator: "-").utf8).span)
        return String(decoding: Base32.encode(Array(digest.prefix(5)).span).prefix(checkCount), as: UTF8.self)
    }
}
