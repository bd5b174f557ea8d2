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

    /// The search halves the table, so one entry out of order would hide others.
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
