/// The owner of records: a messenger and an ID in it. Both become names of directories, so dots, slashes and non-ASCII
/// characters are not allowed.
public struct Owner: Hashable, Sendable {
    /// 1 to 32 lower-case letters, digits and hyphens, beginning with a letter: `threema`.
    public let messenger: String
    /// 1 to 64 letters, digits, `*`, `-` and `_`: `ABCD1234`.
    public let id: String

    /// - Returns: nil if one of them is malformed.
    public init?(messenger: String, id: String) {
        guard Self.isMessenger(messenger), Self.isID(id) else { return nil }
        self.messenger = messenger
        self.id = id
    }

    static func isMessenger(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count) && text.utf8.allSatisfy { $0.isLowerCase || $0.isDigit || $0 == hyphen }
            && text.utf8.first?.isLowerCase == true
    }

    private static func isID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                $0.isLowerCase || $0.isUpperCase || $0.isDigit || "*-_".utf8.contains($0)
            }
    }

    private static let hyphen = UInt8(ascii: "-")
}

/// The name of one of an owner's places: 1 to 32 lower-case letters, digits and hyphens.
public struct PlaceName: Hashable, Sendable {
    /// The name, which is also that of its directory.
    public let text: String

    /// The place `main`: an owner's first one, and the one that is meant if none is named.
    public static let main = PlaceName(proven: "main")

    /// - Returns: nil for anything but 1 to 32 lower-case letters, digits and hyphens.
    public init?(_ text: String) {
        let hyphen = UInt8(ascii: "-")
        guard (1...32).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0.isLowerCase || $0.isDigit || $0 == hyphen })
        else { return nil }
        self.text = text
    }

    private init(proven text: String) { self.text = text }
}

extension UInt8 {
    fileprivate var isLowerCase: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }
    fileprivate var isUpperCase: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
