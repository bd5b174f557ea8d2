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

    /// Which rule a new password breaks. No branch and no address depends on more of the password than the result, and
    /// the length of its first character.
    /// - Parameter enoughDigits: fewest digits of a number that is not weak.
    /// - Returns: nil if no rule applies. Such a password can be weak, too.
    package static func weakness(of password: Span<UInt8>, enoughDigits: Int = enoughDigits) -> Weakness? {
        if isRepeated(password) { return .repeated }
        if password.count < Self.enoughDigits || password.count < enoughDigits, isNumber(password) {
            if password.count < enoughDigits { return .digits }
            // A PIN: the apps take a sequence that would do as a password.
            if isSequence(password) { return .sequence }
        }
        return isCommon(password) ? .common : nil
    }

    private static func isNumber(_ password: Span<UInt8>) -> Bool {
        var isNumber = ~UInt32(0)
        for index in password.indices {
            isNumber &= ConstantTime.mask(UInt32(password[index]), from: 0x30, through: 0x39)
        }
        return ConstantTime.reveal(isNumber)
    }

    /// Whether each digit is by one greater, or each by one less, than that before it; 0 comes after 9.
    private static func isSequence(_ digits: Span<UInt8>) -> Bool {
        var (isUp, isDown) = (~UInt32(0), ~UInt32(0))
        for index in digits.indices.dropFirst() {
            let (before, digit) = (UInt32(digits[index - 1]), UInt32(digits[index]))
            isUp &= ConstantTime.mask(digit, equals: before &+ 1) | ConstantTime.mask(digit &+ 9, equals: before)
            isDown &= ConstantTime.mask(before, equals: digit &+ 1) | ConstantTime.mask(before &+ 9, equals: digit)
        }
        return ConstantTime.reveal(isUp | isDown)
    }

    /// Whether the password repeats its first character, with ASCII letters in either case.
    private static func isRepeated(_ password: Span<UInt8>) -> Bool {
        // The first character ends before the next byte that does not continue it (10xxxxxx).
        var length = 1
        while length < password.count,
            ConstantTime.reveal(ConstantTime.mask(UInt32(password[length]), from: 0x80, through: 0xbf))
        {
            length += 1
        }
        guard length < password.count, password.count.isMultiple(of: length) else { return false }
        var difference: UInt8 = 0
        for index in password.indices { difference |= lower(password[index]) ^ lower(password[index % length]) }
        return !ConstantTime.reveal(UInt32(difference))
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
            // A look at each entry: a search would show a part of the digest by its addresses.
            var isFound: UInt32 = 0
            for start in stride(from: 0, to: table.count, by: 4) {
                let entry = (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(table[start + $1]) }
                isFound |= ConstantTime.mask(entry, equals: wanted)
            }
            return ConstantTime.reveal(isFound)
        }
    }

    private static func lower(_ byte: UInt8) -> UInt8 {
        let isUpper = ConstantTime.mask(UInt32(byte), from: 0x41, through: 0x5a)
        return byte | UInt8(truncatingIfNeeded: isUpper) & 0x20
    }
}
