/// A code as people write it down: Base32 characters in groups of four, joined by dashes.
///
/// Reading forgives what copying by hand does: lower case, blanks, line breaks, missing dashes. Any
/// other character is refused and located, so that the reader of a paper knows where to look.
public struct GroupedCode: Equatable, Sendable {
    /// Characters of a full group.
    public static let groupSize = 4

    /// The characters, upper case, without separators.
    public let characters: [UInt8]
    /// Groups that, as typed, have fewer than four characters: number (from 1) and characters in it.
    public let shortGroups: [ShortGroup]

    /// A group that, as typed, is not full.
    public struct ShortGroup: Equatable, Sendable {
        /// Its place in the code, from 1.
        public let number: Int
        /// Characters in it, 1 to 3.
        public let count: Int
    }

    /// Longest text that is read at all, in Unicode scalars. The longest code has 129.
    static let maxScalars = 4096

    /// - Parameter bytes: a multiple of 5 bytes.
    public init(encoding bytes: Span<UInt8>) {
        characters = Base32.encode(bytes)
        shortGroups = []
    }

    /// Reads a code as typed. Any number of characters is accepted here: which lengths are codes is
    /// for the schemes to say.
    /// - Throws: `.tooLong`, or `.badCharacter` with its group and its place in the group (from 1).
    public init(parsing text: String) throws(GroupedCodeError) {
        guard text.unicodeScalars.count <= Self.maxScalars else { throw .tooLong(limit: Self.maxScalars) }
        var characters: [UInt8] = []
        var lengths: [Int] = []
        var length = 0
        for scalar in text.unicodeScalars {
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

    /// `XXXX-XXXX-…`: the text the apps show, and the exact payload of its QR code.
    public var text: String { groups.joined(separator: "-") }

    private static func upperCase(_ scalar: Unicode.Scalar) -> UInt8? {
        guard let ascii = UInt8(exactly: scalar.value), ascii < 0x80 else { return nil }
        return (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(ascii) ? ascii - 0x20 : ascii
    }
}

/// Why a text is not read as a code.
public enum GroupedCodeError: Error, Equatable, Sendable {
    /// More text than any code has.
    case tooLong(limit: Int)
    /// A character that no code uses; group and position count from 1.
    case badCharacter(Unicode.Scalar, group: Int, position: Int)
}
