/// The phone number that names an account: E.164 with `+`, as it is sent and hashed.
public struct AccountNumber: Hashable, Sendable, CustomStringConvertible {
    /// Fewest and most digits behind the `+`.
    public static let counts = 7...15

    /// `+` and 7 to 15 digits, of which the first is not 0.
    public let text: String

    /// - Returns: nil for all but `+` and 7 to 15 digits, of which the first is not 0.
    public init?(_ text: String) {
        let digits = text.utf8.dropFirst()
        guard text.utf8.first == UInt8(ascii: "+"), Self.counts.contains(digits.count),
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            digits.first != UInt8(ascii: "0")
        else { return nil }
        self.text = text
    }

    /// The number as in `text`.
    public var description: String { text }
}
