/// A code in the form in which people write it down: Base32 characters in groups of four, joined by dashes.
///
/// Reading accepts lower case, blanks, line breaks and missing dashes, as people write them. Any other character is
/// refused, and the error says where it is.
public struct GroupedCode: Equatable, Sendable {
    /// Characters of a full group.
    public static let groupSize = 4

    /// The characters, upper case, without separators.
    public let characters: [UInt8]
    /// The typed groups that have fewer than four characters.
    public let shortGroups: [ShortGroup]

    /// A typed group of fewer than four characters.
    public struct ShortGroup: Equatable, Sendable {
        /// Number of the group in the code, from 1.
        public let number: Int
        /// Characters in it, 1 to 3.
        public let count: Int
    }

    /// Longest text that is read, in Unicode scalars. The longest code has 129.
    static let maxScalars = 4096

    /// - Parameter bytes: a multiple of 5 bytes.
    public init(encoding bytes: Span<UInt8>) {
        characters = Base32.encode(bytes)
        shortGroups = []
    }

    /// Reads a code as typed, of any length. The schemes check the length.
    /// - Throws: `.tooLong` for more than 4096 Unicode scalars; `.badCharacter`.
    public init(parsing text: String) throws(GroupedCodeError) {
        guard text.unicodeScalars.count <= Self.maxScalars else { throw .tooLong(limit: Self.maxScalars) }
        var characters: [UInt8] = []
        var lengths: [Int] = []
        var length = 0
        // Editors of Windows write U+FEFF at the beginning of a file.
        for scalar in text.unicodeScalars.drop(while: { $0 == "\u{feff}" }) {
            if scalar == "-" || scalar.properties.isWhitespace {
                if length > 0 { lengths.append(length) }
                length = 0
                continue
            }
            if length == Self.groupSize {
                lengths.append(length)
                length = 0
            }
            length += 1
            guard let character = Self.upperCase(scalar), Base32.value(of: character) != nil else {
                throw .badCharacter(scalar, group: lengths.count + 1, position: length)
            }
            characters.append(character)
        }
        if length > 0 { lengths.append(length) }
        self.characters = characters
        shortGroups = lengths.enumerated().compactMap { index, count in
            count < Self.groupSize ? ShortGroup(number: index + 1, count: count) : nil
        }
    }

    /// The groups, each of four characters (the last may be shorter).
    public var groups: [String] {
        stride(from: 0, to: characters.count, by: Self.groupSize).map { start in
            String(decoding: characters[start..<min(start + Self.groupSize, characters.count)], as: UTF8.self)
        }
    }

    /// `XXXX-XXXX-…`: the text that the apps show, and the content of its QR code.
    public var text: String { groups.joined(separator: "-") }

    private static func upperCase(_ scalar: Unicode.Scalar) -> UInt8? {
        guard let ascii = UInt8(exactly: scalar.value), ascii < 0x80 else { return nil }
        return (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(ascii) ? ascii - 0x20 : ascii
    }
}

/// Why a text was not read as a code.
public enum GroupedCodeError: Error, Equatable, Sendable {
    /// The text has more than `limit` Unicode scalars.
    case tooLong(limit: Int)
    /// A character outside of Base32's alphabet; group and position count from 1.
    case badCharacter(Unicode.Scalar, group: Int, position: Int)
}
