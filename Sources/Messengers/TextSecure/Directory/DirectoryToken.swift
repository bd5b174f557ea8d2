internal import Encodings
internal import Primitives

/// A phone number as the directory of contacts sees it: the first 10 bytes of SHA-1 over the number with `+`.
///
/// No key goes into it, so anyone who sees a token finds the number by trying all of them. Say so to the user before a
/// list of contacts is sent.
public struct DirectoryToken: Hashable, Sendable {
    /// Length in bytes.
    public static let count = 10
    /// Length as Base64 without padding.
    public static let textCount = 14

    /// 10 bytes.
    public let bytes: [UInt8]

    /// The token of a number.
    public init(_ number: AccountNumber) { self.init(hashing: number.text) }

    package init(hashing number: String) {
        bytes = Array(Legacy.SHA1.hash(number.utf8.span)[..<Self.count])
    }

    /// Reads Base64, with padding or without.
    /// - Returns: nil for all but 10 bytes.
    public init?(text: String) {
        guard text.utf8.count <= 2 * Self.textCount, let bytes = LenientBase64.decodePublic(text),
            bytes.count == Self.count
        else { return nil }
        self.bytes = bytes
    }

    /// Base64, 14 characters.
    public var text: String { Base64.encodeUnpadded(bytes.span) }
}
