import Encodings
import SecureMemory
import Testing
import VectorKit

@Suite struct HexTests {
    @Test func `bytes become lower-case digits`() {
        #expect(Hex.encode([]) == "")
        #expect(Hex.encode([0x00, 0x09, 0x0a, 0x9f, 0xa0, 0xff]) == "00090a9fa0ff")
        let bytes: [UInt8] = [0xde, 0xad]
        #expect(Hex.encode(bytes.span) == "dead")
    }

    @Test(arguments: ["deadbeef", "DEADBEEF", "DeAdbEeF"]) func `either case is read`(_ text: String) {
        #expect(Hex.decode(text) == [0xde, 0xad, 0xbe, 0xef])
    }

    @Test func `every byte comes back`() {
        let bytes = Array(UInt8.min...UInt8.max)
        #expect(Hex.decode(Hex.encode(bytes)) == bytes)
        #expect(Self.decodeSecret(Hex.encode(bytes).uppercased()) == bytes)
        var buffer = SecureBuffer(capacity: 2 * bytes.count)
        Hex.encode(bytes.span, appendingTo: &buffer)
        #expect(buffer.finish().copied == Array(Hex.encode(bytes).utf8))
        #expect(Hex.decode("") == [])
    }

    @Test func `exactly 22 characters are digits`() {
        let digits = Set("0123456789abcdefABCDEF".unicodeScalars)
        for value in UInt32(0)..<0x250 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            for text in ["\(scalar)0", "0\(scalar)"] {
                #expect((Hex.decode(text) != nil) == digits.contains(scalar), "U+\(String(value, radix: 16))")
                #expect(Self.decodeSecret(text) == Hex.decode(text))
            }
        }
    }

    @Test(arguments: ["0", "000", "0x00", "00 00", "00\n", "-1", "+1", "g0", "0g", "\u{ff10}\u{ff10}", "\u{0}\u{0}"])
    func `anything else is refused`(_ text: String) {
        #expect(Hex.decode(text) == nil)
        #expect(Self.decodeSecret(text) == nil)
    }

    private static func decodeSecret(_ text: String) -> [UInt8]? { Hex.decode(Array(text.utf8).span)?.copied }
}
