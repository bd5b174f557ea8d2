import Encodings
import SecureMemory
import Testing
import VectorKit

@testable import Passwords

/// Which new passwords deserve a second question.
@Suite struct PasswordStrengthTests {
    private func weakness(_ password: String) -> PasswordStrength.Weakness? {
        PasswordStrength.weakness(of: Array(password.utf8).span)
    }

    @Test(arguments: ["aaaaaaaa", "AaAaAaAa", "        ", "ääääääää", "🔑🔑🔑🔑🔑🔑🔑🔑", "--------"])
    func `one character again and again is weak`(_ password: String) {
        #expect(weakness(password) == .repeated)
    }

    @Test func `a PIN may have fewer digits`() {
        func weakness(_ pin: String) -> PasswordStrength.Weakness? {
            PasswordStrength.weakness(of: Array(pin.utf8).span, enoughDigits: 6)
        }
        #expect(weakness("31415") == .digits)
        #expect(weakness("314159") == nil)
        #expect(weakness("333333") == .repeated)
        for sequence in ["123456", "987654", "890123", "210987"] { #expect(weakness(sequence) == .sequence) }
        for other in ["123457", "135791", "12345a", "112233"] { #expect(weakness(other) != .sequence) }
        // As a password it is not weak, because the apps take it.
        #expect(PasswordStrength.weakness(of: Array("01234567890123456789".utf8).span) == nil)
        #expect(weakness("01234567890123456789") == nil)
    }

    @Test(arguments: ["19700101", "01711234567", "314159265358979"]) func `up to 15 digits are weak`(
        _ password: String
    ) {
        #expect(weakness(password) == .digits)
    }

    @Test(arguments: ["password", "PassWord", "password1", "iloveyou", "football", "qwertyuiop"])
    func `a common one is weak, whatever its case`(_ password: String) {
        #expect(weakness(password) == .common)
    }

    @Test(arguments: [
        "3141592653589793", "correct horse battery staple", "shootdeathstar", "Gr\u{fc}ezi wohl!", "aaaaaaab",
        "k7#Vq!2m", "äöäöäöäö",
    ]) func `others are not`(_ password: String) {
        #expect(weakness(password) == nil)
    }

    /// As Scripts/make-common-passwords writes it, so that a change of the list is a short difference.
    @Test func `the table is whole and in order`() throws {
        let text = Array(CommonPasswords.digests.description.utf8)
        let decoded = Base64.decode(text.span)?.copied
        let table = try #require(decoded)
        #expect(table.count.isMultiple(of: 4))
        let entries = stride(from: 0, to: table.count, by: 4).map { start in
            table[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        #expect(entries.count > 10_000)
        let isInOrder = zip(entries, entries.dropFirst()).allSatisfy { $0 < $1 }
        #expect(isInOrder)
    }
}
