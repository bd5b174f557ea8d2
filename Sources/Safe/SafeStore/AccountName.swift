/// The name of an account on a server: 1 to 32 lower-case letters, digits and hyphens, the first one not a hyphen.
///
/// It is the user name of its login, the first part of its paths (`/alice/config`), and the name of a directory.
public struct AccountName: Hashable, Comparable, Sendable {
    /// Longest name, in bytes.
    public static let maxBytes = 32

    /// The name: 1 to 32 ASCII characters, lower case.
    public let text: String

    /// - Returns: nil for any other text.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard (1...Self.maxBytes).contains(bytes.count), bytes[0] != UInt8(ascii: "-"),
            bytes.allSatisfy({ Self.isLetterOrDigit($0) || $0 == UInt8(ascii: "-") })
        else { return nil }
        self.text = text
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// Whether `left` comes first in byte order.
    public static func < (left: AccountName, right: AccountName) -> Bool { left.text < right.text }
}
