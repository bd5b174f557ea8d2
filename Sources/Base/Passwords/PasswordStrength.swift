internal import Encodings
internal import Primitives
internal import SecureMemory

/// What makes a new password for a Safe or a backup code easy to guess: the apps' rules, with a list
/// of common passwords of another origin (see `CommonPasswords`). Short ones are refused elsewhere.
package enum PasswordStrength {
    /// Why a password is weak.
    package enum Weakness: Sendable {
        /// One character over and over.
        case repeated
        /// Digits alone, and fewer than 16.
        case digits
        /// On the list, whatever its letters' case.
        case common
    }

    /// From this many digits on, a number is no worse than other passwords.
    private static let enoughDigits = 16

    /// - Returns: nil where nothing speaks against the password; that does not make it a good one.
    package static func weakness(of password: Span<UInt8>) -> Weakness? {
        if isRepeated(password) { return .repeated }
        if password.count < enoughDigits, password.indices.allSatisfy({ isDigit(password[$0]) }) { return .digits }
        return isCommon(password) ? .common : nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// Whether the password is its first character, ASCII letters in either case, and nothing else.
    private static func isRepeated(_ password: Span<UInt8>) -> Bool {
        // The first character ends where the next byte does not continue it (10xxxxxx).
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
