import Encodings
import Testing

@Suite struct ControlCharacterTests {
    @Test func `they are those of four categories of Unicode`() {
        let found = (0...0x10ffff).compactMap { Unicode.Scalar(UInt32($0)) }.filter(ControlCharacters.contains)
        for scalar in [
            "\0", "\t", "\u{7f}", "\u{9b}", "\u{ad}", "\u{200b}", "\u{202e}", "\u{2028}", "\u{feff}", "\u{e0001}",
        ]
            as [Unicode.Scalar]
        {
            #expect(found.contains(scalar))
        }
        for scalar in ["a", " ", "~", "\u{a0}", "\u{e9}", "\u{301}", "\u{fe0f}", "\u{1f511}"] as [Unicode.Scalar] {
            #expect(!found.contains(scalar))
        }
        #expect(found.count > 200 && found.count < 300)
    }

    @Test func `JSON for output escapes them, and means the same`() throws {
        let text = "\u{7f}\u{85}\u{9b}a\u{202e}\u{2028}\u{2029}\u{feff}\u{e0001} \u{1f511}\n\""
        let value: JSONValue = ["n\u{200b}": .string(text)]
        let spelled =
            #"{"n\u200b":"\u007f\u0085\u009ba\u202e\u2028\u2029\ufeff\udb40\udc01 "# + "\u{1f511}" + #"\n\""}"#
        #expect(String(decoding: value.encodedForOutput, as: UTF8.self) == spelled)
        #expect(try JSONScanner.parse(value.encodedForOutput.span) == value)
        #expect(value.encoded != value.encodedForOutput, "what is stored and sent does not change")
        #expect(JSONValue.escapedForOutput(value.encoded.span).withBytes { $0.revealBytes() } == value.encodedForOutput)
    }

    @Test func `a text is divided completely`() {
        let bytes: [UInt8] = [
            0x61, 0x1b, 0xff, 0xc3, 0xa9, 0xe2, 0x80, 0xae, 0xed, 0xa0, 0x80, 0xc0, 0x80, 0xf4, 0x90, 0xe2, 0x80,
        ]
        var joined: [UInt8] = []
        var kinds = ""
        ControlCharacters.forEachPiece(of: bytes.span) { piece in
            switch piece {
            case .plain(let range):
                joined += bytes[range]
                kinds += "p"
            case .control(let scalar):
                joined += UTF8.encode(scalar)!
                kinds += "c"
            case .strange(let byte):
                joined.append(byte)
                kinds += "s"
            }
        }
        #expect(joined == bytes)
        #expect(kinds == "pcspcsssssssss")
    }
}
