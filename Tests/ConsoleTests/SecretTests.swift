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
        static func weakness(of secret: Span<UInt8>) -> String? { nil }
    }

    @Test func `names follow from program and stem`() {
        #expect(Example.variable.hasSuffix("_SERVER_PASSWORD"))
        #expect(Example.variable.hasPrefix(Program.name.uppercased()))
        #expect(Example.credential == "\(Program.name).server-password")
    }
}
