import HTTP
import Testing

@Suite struct PublicKeyPinTests {
    /// SHA-256 of nothing, as curl writes it.
    private let text = "sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

    @Test func `curl's spelling, both ways`() throws {
        let pin = try #require(PublicKeyPin(text: text))
        #expect(pin.digest.prefix(4) == [0xe3, 0xb0, 0xc4, 0x42])
        #expect(pin.text == text)
    }

    @Test func `nothing else is a pin`() {
        let base64 = text.dropFirst(8)
        for wrong in [
            "", "sha256//", "sha256/\(base64)", "sha1//\(base64)", "\(base64)", text + "=", text + " ",
            "sha256//AAAA", String(text.dropLast(4)), text.uppercased(),
        ] { #expect(PublicKeyPin(text: wrong) == nil, "\(wrong)") }
        #expect(PublicKeyPin(digest: [1, 2, 3]) == nil)
    }
}
