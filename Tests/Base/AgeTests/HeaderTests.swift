import SecureMemory
import Testing
import VectorKit

@testable import Age

/// Limits and named refusals of the header and the armor; the published vectors have the grammar.
@Suite struct HeaderTests {
    private static let version = "age-encryption.org/v1\n"
    private static let end = "--- " + String(repeating: "A", count: 43) + "\n"

    private func fault(_ text: String) -> AgeError? {
        Sample.failure { _ = try AgeFile(Array(text.utf8)) }
    }

    /// `^` is the version line, and `$` a last line.
    private static let faults: [(String, AgeError.HeaderFault)] = [
        ("", .notAge), ("age-encryption.org", .notAge), ("age-encryption.org/v2\n", .version("v2")),
        ("age-encryption.org/v1", .truncated), ("age-encryption.org/v1\r\n", .carriageReturn),
        ("age-encryption.org/ v1\n", .notAge), ("^", .truncated), ("^$", .stanza),
        ("^-> a\n\n---\n", .authenticationCode), ("^-> a\n\n----\n", .authenticationCode),
        ("^-> a\n\n--- AA\n", .authenticationCode), ("^-> a\n$", .body), ("^->  a\n\n$", .stanza),
        ("^-> a \n\n$", .stanza), ("^->a\n\n$", .stanza), ("^-> \u{e4}\n\n$", .stanza), ("^-> a\n\n\n$", .stanza),
        ("^-> a\nAAAA\r\n$", .carriageReturn), ("^-> X25519 a\n\n$", .x25519), ("^-> scrypt a 1\n\n$", .scrypt),
        ("^-> a\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n\n$", .body),
    ]

    @Test(arguments: faults)
    func `what is wrong has a name`(_ text: String, _ fault: AgeError.HeaderFault) {
        let text = text.replacing("^", with: Self.version).replacing("$", with: Self.end)
        #expect(self.fault(text) == .header(fault))
    }

    @Test func `a scrypt stanza stands alone, also if an identity is given`() {
        let (salt, body) = (String(repeating: "A", count: 22), String(repeating: "A", count: 43))
        let scrypt = "-> scrypt \(salt) 1\n\(body)\n"
        #expect(fault(Self.version + scrypt + Self.end) == nil)
        for other in [scrypt, "-> grease\n\n"] {
            #expect(fault(Self.version + scrypt + other + Self.end) == .header(.scryptNotAlone))
            #expect(fault(Self.version + other + scrypt + Self.end) == .header(.scryptNotAlone))
        }
    }

    @Test func `an unmatched file says what opens it`() throws {
        let types = ["grease", "ssh-ed25519", "ssh-rsa", "mlkem768x25519", "p256tag", "mlkem768p256tag", "grease"]
        let text = Self.version + types.map { "-> \($0)\n\n" }.joined() + Self.end
        let kinds: [AgeRecipientKind] = [.other("grease"), .ssh, .postQuantum, .hardware]
        let file = try AgeFile(Array(text.utf8))
        #expect(file.recipientKinds == kinds)
        #expect(throws: AgeError.noMatch(kinds)) { _ = try file.unlock(AgeIdentity.random()) }
        #expect(throws: AgeError.noMatch(kinds)) { _ = try file.unlock(passphrase: Sample.secret("a")) }
    }

    @Test func `limits hold, and what is within is read`() throws {
        func stanzas(_ count: Int) -> String {
            Self.version + String(repeating: "-> a\n\n", count: count) + Self.end
        }
        #expect(fault(stanzas(1000)) == nil && fault(stanzas(1001)) == .header(.tooLarge))
        func line(_ count: Int) -> String {
            Self.version + "-> " + String(repeating: "a", count: count - 3) + "\n\n" + Self.end
        }
        #expect(fault(line(8192)) == nil && fault(line(8193)) == .header(.tooLarge))
        func body(_ lines: Int) -> String {
            Self.version + "-> a\n" + String(repeating: String(repeating: "A", count: 64) + "\n", count: lines) + "\n"
        }
        #expect(fault(body(1365) + Self.end) == nil && fault(body(1366) + Self.end) == .header(.tooLarge))
        let large = String(body(1365).dropFirst(Self.version.utf8.count))
        func header(_ stanzas: Int) -> String { Self.version + String(repeating: large, count: stanzas) + Self.end }
        #expect(header(11).utf8.count == 22 + 976_041 + 48 && fault(header(11)) == nil)
        #expect(header(12).utf8.count > 1 << 20 && fault(header(12)) == .header(.tooLarge))
    }

    @Test func `an endless header is not read to its end`() {
        for text in ["-> a a a a a a\n\n", "a", "AAAA\n", "-> a\nAAAA"] {
            let bytes = Array(text.utf8)
            var count = 0
            let failure = Sample.failure {
                _ = try AgeFile { output in
                    for index in output.indices {
                        let start = count + index
                        let version = Self.version.utf8
                        output[index] = start < version.count ? Array(version)[start] : bytes[start % bytes.count]
                    }
                    count += output.count
                    return output.count
                }
            }
            #expect(failure?.layer == "header failure" && count < 2 << 20, "\(text)")
        }
    }

    @Test func `a form is found by its first characters`() throws {
        let identity = AgeIdentity.random()
        let armored = try Sample.sealed([1], to: [identity.recipient], isArmored: true)
        let spaced = Array(" \r\n\t\n".utf8) + armored + Array("\n \n".utf8)
        #expect(throws: AgeError.armor(.beginning)) { try Sample.opened(Array(" ".utf8) + armored, identity) }
        #expect(try Sample.opened(armored, identity) == [1])
        #expect(try Sample.opened(Array(spaced.dropFirst()), identity) == [1])
        #expect(throws: AgeError.header(.notAge)) { _ = try AgeFile(armored, .binary) }
        let blanks = [UInt8](repeating: 10, count: 1025)
        #expect(throws: AgeError.header(.notAge)) { _ = try AgeFile(blanks + armored) }
        #expect(throws: AgeError.armor(.beginning)) { _ = try AgeFile(blanks + armored, .armored) }
        #expect(throws: AgeError.armor(.trailingData)) { try Sample.opened(armored + blanks, identity) }
        #expect(try Sample.opened(blanks.dropFirst() + armored + blanks.dropFirst(), identity) == [1])
    }

    @Test func `an age file is told from others by its first characters`() throws {
        let identity = AgeIdentity.random()
        let file = try Sample.sealed([1], to: [identity.recipient])
        let armored = try Sample.sealed([1], to: [identity.recipient], isArmored: true)
        let blanks = [UInt8](repeating: 10, count: 1024)
        for likely in [file, armored, Array(" \t\u{0b}\u{0c}\r\n".utf8) + armored, blanks + armored] {
            let isLikely = AgeFile.isLikely(likely.span)
            #expect(isLikely)
        }
        let others = [
            [], Array("AGE-SECRET-KEY-1".utf8), Array("\n".utf8) + file, blanks, blanks + [10] + armored,
            Array("-----BEGIN TELEGRAM AUTH KEY-----\n".utf8), Array(armored.prefix(14)), Array(file.prefix(18)),
        ]
        for other in others {
            let isLikely = AgeFile.isLikely(other.span)
            #expect(!isLikely, "\(other.count) bytes")
        }
    }
}
