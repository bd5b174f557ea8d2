import Encodings
import Testing
import VectorKit

@Suite struct Base32Tests {
    private let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    @Test func `RFC 4648's whole group`() {
        #expect(encode(Array("fooba".utf8)) == "MZXW6YTB")
        #expect(Base32.decode(Array("MZXW6YTB".utf8)) == Array("fooba".utf8))
    }

    @Test func `nothing is no characters`() {
        #expect(encode([]) == "")
        #expect(Base32.decode([]) == [])
    }

    @Test func `every value has its character`() {
        // 00000 00001 00010 … 11111, five bits each.
        let bytes = [UInt8](hex: "00443214c74254b635cf84653a56d7c675be77df")!
        #expect(encode(bytes) == String(decoding: alphabet, as: UTF8.self))
        #expect(Base32.decode(alphabet) == bytes)
    }

    @Test func `exactly 32 characters have a value`() {
        for byte in UInt8.min...UInt8.max {
            #expect(Base32.value(of: byte) == alphabet.firstIndex(of: byte).map(UInt8.init))
        }
    }

    @Test func `any other character is refused, wherever it stands`() {
        for position in 0..<16 {
            for byte in UInt8.min...UInt8.max {
                var characters = Array("MZXW6YTBMZXW6YTB".utf8)
                characters[position] = byte
                #expect((Base32.decode(characters) != nil) == alphabet.contains(byte), "\(byte) at \(position)")
            }
        }
    }

    @Test(arguments: ["MY======", "MZXQ====", "MZXW6===", "MZXW6YQ="]) func `padding is refused`(_ text: String) {
        #expect(Base32.decode(Array(text.utf8)) == nil)
    }

    @Test func `a cut group is refused`() {
        for count in 1..<24 where count % 8 != 0 {
            #expect(Base32.decode([UInt8](repeating: UInt8(ascii: "A"), count: count)) == nil)
        }
    }

    @Test func `a cut group cannot be encoded`() async {
        await #expect(processExitsWith: .failure) { _ = Base32.encode([UInt8]([1, 2, 3]).span) }
    }

    @Test(arguments: try Vector.positive(in: .idBackup)) func `backup codes`(_ vector: Vector) throws {
        let code = try vector.inputs.string("backup").replacing("-", with: "")
        let bytes = try vector.inputs.bytes("backup_raw_hex")
        #expect(encode(bytes) == code)
        #expect(Base32.decode(Array(code.utf8)) == bytes)
    }

    private func encode(_ bytes: [UInt8]) -> String { String(decoding: Base32.encode(bytes.span), as: UTF8.self) }
}
