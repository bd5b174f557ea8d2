import SecureMemory
import Testing

@testable import TextSecure

@Suite struct LenientBase64Tests {
    @Test(arguments: ["aGVsbG8=", "aGVsbG8", "aGVs\r\nbG8=", " aG\tVsbG8 "])
    func readsWithAndWithoutPaddingAndLines(_ text: String) {
        let bytes = Array("hello".utf8)
        #expect(LenientBase64.decodePublic(text) == bytes)
        let characters = Array(text.utf8)
        guard let secret = LenientBase64.decode(characters.span) else {
            Issue.record("refused")
            return
        }
        #expect(secret.withBytes { read in read.indices.map { read[$0] } } == bytes)
    }

    @Test(arguments: [
        "aGVsbG9", "aGVsb", "aG=VsbG8", "aGVsbG8==", "aGVs_G8=", "=", "====", "aGVsbA=", "aA=", "aGVsbG8=a",
    ])
    func refusesAllElse(_ text: String) {
        #expect(LenientBase64.decodePublic(text) == nil)
        let characters = Array(text.utf8)
        #expect(!isRead(characters))
    }

    private func isRead(_ text: [UInt8]) -> Bool {
        if LenientBase64.decode(text.span) != nil { true } else { false }
    }
}
