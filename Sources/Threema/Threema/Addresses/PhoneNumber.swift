/// A phone number with its country (E.164).
///
/// The rule is a reduced one: what each country writes before and between digits is not known here. A number has to
/// begin with `+` or `00` and the country's code; what is in use between digits (blanks, hyphens, dots, slashes,
/// parentheses) is left out. `(0)`, the zero that is dialled within a country only, is left out as well.
public struct PhoneNumber: Hashable, Sendable {
    /// Fewest and most digits, with those of the country.
    public static let counts = 7...15

    /// The digits, without a plus sign, as the directory and the Safe document have them.
    public let digits: String

    /// The digits behind a plus sign, as people write a number.
    public var text: String { "+" + digits }

    /// - Throws: `.noCountry` for a number that begins neither with `+` nor with `00`; `.malformed` for other
    ///   characters, for fewer than 7 or more than 15 digits, and for a country's code that begins with a zero.
    public init(parsing text: String) throws(ContactAddressError) {
        let bytes = Array(text.replacing("(0)", with: "").utf8).filter { !Self.separators.contains($0) }
        if bytes.first == UInt8(ascii: "+") {
            try self.init(digits: bytes.dropFirst())
        } else if bytes.starts(with: "00".utf8) {
            try self.init(digits: bytes.dropFirst(2))
        } else {
            throw bytes.allSatisfy(Self.isDigit) && !bytes.isEmpty ? .noCountry : .malformed
        }
    }

    /// - Parameter digits: country's code and number, nothing else.
    /// - Throws: `.malformed`.
    public init(digits: String) throws(ContactAddressError) { try self.init(digits: Array(digits.utf8)[...]) }

    private init(digits: ArraySlice<UInt8>) throws(ContactAddressError) {
        guard Self.counts.contains(digits.count), digits.allSatisfy(Self.isDigit), digits.first != UInt8(ascii: "0")
        else { throw .malformed }
        self.digits = String(decoding: digits, as: UTF8.self)
    }

    private static let separators = Set(" \t-./()".utf8)

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
