internal import Encodings
internal import Primitives
internal import SecureMemory

/// Tells whether a new password is easy to guess, by the apps' rules and a list of common passwords (see
/// `CommonPasswords`). The callers check the length.
package enum PasswordStrength {
    /// Why a password is weak.
    package enum Weakness: Sendable {
        /// One character, repeated.
        case repeated
        /// Too few digits, and nothing else.
        case digits
        /// Digits of a PIN that count up or down, and nothing else.
        case sequence
        /// In the list, in any case.
        case common
    }

    /// Fewest digits of a number that is not weak as a password.
    package static let enoughDigits = 16

    /// - Parameter enoughDigits: fewest digits of a number that is not weak.
    /// - Returns: nil if no rule applies. Such a password can be weak, too.
    package static func weakness(of password: Span<UInt8>, enoughDigits: Int = enoughDigits) -> Weakness? {
        if isRepeated(password) { return .repeated }
        if password.indices.allSatisfy({ isDigit(password[$0]) }) {
            if password.count < enoughDigits { return .digits }
            // A PIN: the apps take a sequence that would do as a password.
            if password.count < Self.enoughDigits, isSequence(password) { return .sequence }
        }
        return isCommon(password) ? .common : nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// Whether each digit is by one greater, or each by one less, than that before it; 0 comes after 9.
    private static func isSequence(_ digits: Span<UInt8>) -> Bool {
        [1, 9].contains { step in
            digits.indices.dropFirst().allSatisfy { (Int(digits[$0 - 1]) - 48 + step) % 10 == Int(digits[$0]) - 48 }
        }
    }

    /// Whether the password repeats its first character, with ASCII letters in either case.
    private static func isRepeated(_ password: Span<UInt8>) -> Bool {
        // The first character ends before the next byte that does not continue it (10xxxxxx).
        let length = password.indices.dropFirst().first { password[$0] & 0xc0 != 0x80 } ?? password.count
        guard length < password.count, password.count.isMultiple(of: length) else { return false }
        return password.indices.allSatisfy { lower(password[$0]) == lower(password[$0 % length]) }
    }

    private static func isCommon(_ password: Span<UInt8>) -> Bool {
        let folded = SecureBytes(count: password.count) { folded in
            for index in password.indices { folded[index] = lower(password[index]) }
        }
        let wanted = folded.withBytes { SHA256.hash($0) }.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let text = Array(CommonPasswords.digests.description.utf8)
        // The table is Base64 because the script that made it says so; a test reads every entry.
        guard let table = Base64.decode(text.span) else { return false }
        return table.withBytes { table in
            var range = 0..<table.count / 4
            while !range.isEmpty {
                let middle = range.lowerBound + range.count / 2
                let entry = (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(table[middle * 4 + $1]) }
                if entry == wanted { return true }
                range = entry < wanted ? middle + 1..<range.upperBound : range.lowerBound..<middle
            }
            return false
        }
    }

    private static func lower(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte + 0x20 : byte
    }
}
