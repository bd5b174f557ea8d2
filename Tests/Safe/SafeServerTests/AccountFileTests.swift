import SafeStore
import SecureMemory
import Testing
import VectorKit

@testable import SafeServer

func secret(_ text: String) -> SecureBytes { SecureBytes(copying: Array(text.utf8).span) }

/// A hash that takes no time to compute.
func cheapHash(_ password: String, salt: UInt8 = 1) -> PasswordHash {
    let cost = ScryptCost(1, blockSize: 1, parallelism: 1)!
    return try! PasswordHash(of: secret(password), salt: [UInt8](repeating: salt, count: 16), cost: cost)
}

@Suite struct PasswordHashTests {
    /// Computed by Python's hashlib.scrypt for "pässword".
    private static let hashes = [
        "$scrypt$ln=14,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$UDPF+c6UAbOfYLbXfh5BLsQrn+UidWRbQyyDP5iuTDg",
        "$scrypt$ln=10,r=8,p=2$AAECAwQFBgcICQoLDA0ODw$losytAae+gc320J2cf2x/9clnK8bcLIa3SdfnA01Doc",
        "$scrypt$ln=1,r=1,p=1$AAECAwQFBgcICQoLDA0ODw$JcwfKGoTEt2KITucUryhCCHIvx8NIYA9mYIRKUcrkhE",
    ]

    @Test(arguments: hashes) func `the hash of another implementation is read, compared and written`(
        _ text: String
    ) throws {
        let hash = try #require(PasswordHash(text))
        #expect(hash.text == text)
        #expect(try hash.matches(secret("pässword")))
        for wrong in ["", "pässwor", "pässwordd", "password", "pa\u{308}ssword"] {
            #expect(try !hash.matches(secret(wrong)))
        }
        let again = try PasswordHash(of: secret("pässword"), salt: Array(0..<16), cost: hash.cost)
        #expect(again == hash)
    }

    @Test func `a new hash has the standard cost`() throws {
        let hash = try PasswordHash(of: secret("x"), salt: Array(0..<16))
        #expect(hash.text.hasPrefix("$scrypt$ln=14,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$"))
    }

    @Test func `other texts are refused`() {
        let good = Self.hashes[0]
        let changes = [
            ("$scrypt", "scrypt"), ("$scrypt", "$argon2id"), ("ln=14", "ln=014"), ("ln=14", "ln=+14"),
            ("ln=14", "ln="), ("ln=14", "ln=0"), ("ln=14", "ln=25"), ("ln=14", "ln=99999999999999999999"),
            ("ln=14", "ln=20"), ("r=8", "r=0"), ("r=8", "r=65"), ("p=1", "p=0"), ("p=1", "p=65"), ("p=1", "p=9"),
            ("ln=14,r=8", "r=8,ln=14"), (",p=1", ""), ("p=1", "p=1,x=1"), ("AAECAwQFBgcICQoLDA0ODw", ""),
            ("AAECAwQFBgcICQoLDA0ODw", "AAECAwQFBgcICQoLDA0ODw=="), ("AAECAwQFBgcICQoLDA0ODw", "AAECAwQFBg"),
            ("ODw$", "ODx$"), ("$UDP", "$-DP"), ("iuTDg", "iuTD"), ("iuTDg", "iuTDgAAAA"), ("$UDP", "$$UDP"),
            ("iuTDg", "iuTDg$"), ("ln=14", "ln=-1"), ("ln=14", "ln=63"), ("r=8", "r=9223372036854775807"),
        ]
        for (old, new) in changes {
            let text = good.replacing(old, with: new, maxReplacements: 1)
            #expect(text != good && PasswordHash(text) == nil, "\(text)")
        }
        for end in 0..<good.count { #expect(PasswordHash(String(good.prefix(end))) == nil) }
    }
}

@Suite struct AccountFileTests {
    private let one = Account(name: AccountName("one")!, hash: cheapHash("1"), quota: nil)
    private let two = Account(name: AccountName("two")!, hash: cheapHash("2"), quota: 5_000_000)

    private func line(_ account: Account) -> String {
        "\(account.name.text):\(account.hash.text):" + (account.quota.map { "\($0)" } ?? "")
    }

    @Test func `accounts, comments and other lines are read in order, and written as they were`() {
        let text = "# accounts\n\n\(line(two))\nbroken\n# more\n\(line(one))\n"
        let file = AccountFile(Array(text.utf8))
        #expect(file.accounts == [two, one] && file.badLines == [4])
        #expect(file[one.name] == one && file[AccountName("broken")!] == nil)
        #expect(file.content == Array(text.utf8))
        let cut = AccountFile(Array(text.utf8.dropLast()))
        #expect(cut == file && cut.content == Array(text.utf8))
        #expect(AccountFile([]).content == [] && AccountFile([]).accounts == [])
    }

    @Test func `a change keeps all other lines`() {
        var file = AccountFile(Array("# a\n\(line(two))\nbroken\n\(line(one))\n# z\n".utf8))
        let changed = Account(name: two.name, hash: cheapHash("3"), quota: nil)
        file.set(changed)
        #expect(file.content == Array("# a\n\(line(changed))\nbroken\n\(line(one))\n# z\n".utf8))
        let new = Account(name: AccountName("new")!, hash: cheapHash("n"), quota: 0)
        file.set(new)
        #expect(file.accounts == [changed, one, new] && file[new.name]?.quota == 0)
        file.remove(one.name)
        file.remove(one.name)
        #expect(file.content == Array("# a\n\(line(changed))\nbroken\n# z\n\(line(new))\n".utf8))
        #expect(file.costs.count == 2)
    }

    @Test func `a second line of a name does not count, and does not survive the removal of the first`() {
        let second = Account(name: one.name, hash: cheapHash("other"), quota: nil)
        var file = AccountFile(Array("\(line(one))\n\(line(second))\n".utf8))
        #expect(file.accounts == [one] && file.badLines == [2])
        file.remove(one.name)
        #expect(file.content == [])
    }

    @Test func `lines that are no accounts`() {
        let good = line(two)
        let bad = [
            " " + good, good + " ", good + "\r", "-" + good, good.uppercased(), good + "0x1", good + "-1",
            String(good.dropLast(7)) + "00", good + ":", String(good.dropLast(8)), good.replacing("two", with: ""),
            good.replacing("two", with: "../two"), good + String(repeating: "0", count: 500), good + "\u{301}", "two",
            good + "99999999999999999999", good.replacing(":5000000", with: ":05000000"), "\t# no comment",
        ]
        let file = AccountFile(Array(bad.joined(separator: "\n").utf8))
        #expect(file.accounts == [] && file.badLines == Array(1...bad.count))
    }

    @Test func `ten thousand mutations are read, and kept byte for byte`() {
        let random = SeededRandom(seed: 7)
        let good = Array("# a\n\(line(one))\n\(line(two))\n".utf8)
        for _ in 0..<10_000 {
            var bytes = good
            for _ in 0...random.number(below: 3) {
                let place = random.number(below: bytes.count)
                switch random.number(below: 4) {
                case 0: bytes[place] = UInt8(random.number(below: 256))
                case 1: bytes.remove(at: place)
                case 2: bytes.insert(UInt8(ascii: "\n"), at: place)
                default: bytes += bytes.suffix(place)
                }
            }
            let file = AccountFile(bytes)
            #expect(file.content == bytes || file.content == bytes + [UInt8(ascii: "\n")])
            for account in file.accounts { #expect(AccountFile(Array(line(account).utf8)).accounts == [account]) }
        }
    }

    @Test func `there is a largest number of accounts`() {
        let lines = (0...AccountFile.maxAccounts).map {
            line(Account(name: AccountName("a\($0)")!, hash: one.hash, quota: nil))
        }
        let file = AccountFile(Array(lines.joined(separator: "\n").utf8))
        #expect(file.isFull && file.accounts.count == 4096 && file.badLines == [4097])
    }
}
