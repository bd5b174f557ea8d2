import SecureMemory
import Testing

@testable import Console

@Suite struct SecretTests {
    private static func count(_ bytes: [UInt8]) -> Int? { SecureBytes(copying: bytes.span).characterCount }

    @Test(arguments: ["a", "ä", "€", "😀", "a\u{308}", "Grüße, 世界 😀"])
    func `characters are Unicode scalars`(_ text: String) {
        #expect(Self.count(Array(text.utf8)) == text.unicodeScalars.count)
    }

    @Test(arguments: [
        [0x80], [0xc0, 0x80], [0xc1, 0xbf], [0xc3], [0xc3, 0x28], [0xe0, 0x80, 0x80], [0xe2, 0x82],
        [0xed, 0xa0, 0x80], [0xf0, 0x80, 0x80, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xff],
    ])
    func `what is not UTF-8 has none`(_ bytes: [UInt8]) {
        #expect(Self.count(bytes) == nil)
        #expect(String(validating: bytes, as: UTF8.self) == nil)
    }

    private enum Example: Secret {
        static let stem = "server-password"
        static let title = "password of the server"
        static let isGenerated = false
    }

    @Test func `names follow from program and stem`() {
        #expect(Example.variable.hasSuffix("_SERVER_PASSWORD"))
        #expect(Example.variable.hasPrefix(Program.name.uppercased()))
        #expect(Example.credential == "\(Program.name).server-password")
    }

    @Test func `prompts`() {
        typealias Asker = SecretAsker<Example>
        #expect(Asker.question(.only) == "Password of the server: ")
        #expect(Asker.question(.for("alice")) == "Password of the server for alice: ")
        #expect(Asker.question(.of("alice on host")) == "Password of the server of alice on host: ")
        #expect(Asker.question(.named("two")) == "Password of the server two: ")
        #expect(Asker.question(.also(of: "key.dat")) == "Password of the server, of key.dat: ")
        #expect(Asker.question(.only, isAgain: true) == "Password of the server, again: ")
        #expect(Asker.question(.for("alice"), isAgain: true) == "Password of the server for alice, again: ")
        #expect(
            Asker.question(.for("alice"), nothingFor: "none") == "Password of the server for alice (Enter for none): ")
    }
}
