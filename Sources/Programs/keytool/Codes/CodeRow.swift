import Encodings

/// A row of a printed code, with a check of its own: a typing error is found before all of the code is typed.
///
/// Read as digits of base 32, the row's number in the code and then the values of its characters (A is 0, 7 is 31) are
/// one large number. The check is the remainder of its division by 1021, as two Base32 digits. 1021 is the largest
/// prime that two of them can hold, and 32 and its powers up to the 20th leave different remainders. So every wrong
/// character, every swap of two characters and every swap of two rows changes the check; of other errors, one in 1021
/// does not.
struct CodeRow {
    /// Groups in a row; the last row may have fewer.
    static let groupCount = 5
    /// Characters of a row's check.
    static let checkCount = 2

    private static let modulus = 1021
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")

    /// From 1 in the code.
    let number: Int
    /// Upper case.
    let groups: [String]

    /// The rows of a code.
    static func rows(of code: GroupedCode) -> [CodeRow] {
        let groups = code.groups
        return stride(from: 0, to: groups.count, by: groupCount).enumerated().map { index, start in
            CodeRow(number: index + 1, groups: Array(groups[start..<min(start + groupCount, groups.count)]))
        }
    }

    /// Number of its first group, from 1 in the code.
    var firstGroup: Int { (number - 1) * Self.groupCount + 1 }

    /// Two characters of Base32.
    var check: String {
        let rest = groups.joined().reduce(number) { rest, character in
            (rest * Self.digits.count + (Self.digits.firstIndex(of: character) ?? 0)) % Self.modulus
        }
        return String([Self.digits[rest / Self.digits.count], Self.digits[rest % Self.digits.count]])
    }
}
