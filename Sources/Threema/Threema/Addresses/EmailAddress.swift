/// An e-mail address as the directory knows it: in lower case, ASCII.
public struct EmailAddress: Hashable, Sendable {
    /// Longest address, in bytes (RFC 5321, 4.5.3.1.3).
    public static let maxBytes = 254

    /// The address as it is hashed: trimmed, ASCII letters small, at most `maxBytes` bytes.
    public let text: String

    /// Trims blanks and turns capitals of ASCII into small letters. Dots and plus signs stay: they are part of an
    /// address for every directory.
    /// - Throws: `.malformed` for anything that is not one address of ASCII characters.
    public init(normalizing text: String) throws(ContactAddressError) {
        let blanks = Set(" \t\r\n".utf8)
        let trimmed = text.utf8.drop(while: blanks.contains).reversed().drop(while: blanks.contains).reversed()
        let bytes = trimmed.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 + 0x20 : $0 }
        let parts = bytes.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard bytes.count <= Self.maxBytes, bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7f }), parts.count == 2,
            parts.allSatisfy({ !$0.isEmpty })
        else { throw .malformed }
        self.text = String(decoding: bytes, as: UTF8.self)
    }

    /// The same mailbox under its other name: Google's has two domains. Nil for any other domain.
    public var alternative: EmailAddress? {
        for (domain, other) in [("gmail.com", "googlemail.com"), ("googlemail.com", "gmail.com")]
        where text.utf8.reversed().starts(with: "@\(domain)".utf8.reversed()) {
            return try? EmailAddress(normalizing: String(text.dropLast(domain.count)) + other)
        }
        return nil
    }
}

/// Why a text is not an address.
public enum ContactAddressError: Error, Equatable, Sendable {
    case malformed
    /// A phone number without its country: it begins with a zero, or with no plus sign.
    case noCountry
}
