import Encodings
import SecureMemory
import Testing
import VectorKit

@testable import Threema

@Suite struct GatewayKeyTextTests {
    private static let hex = String(repeating: "0f", count: 31) + "aB"

    @Test(arguments: [
        "private:\(hex)", "PRIVATE:\(hex)\n", "Private: \(hex)", "\n private:\(hex)\r\n", hex, "\(hex)\n",
    ])
    func `a private key in each form`(_ text: String) throws {
        let key = try GatewayKeyText.decode(text.utf8.span, mayBeBare: true)
        let written = GatewayKeyText.encode(key).copied
        #expect(String(decoding: written, as: UTF8.self) == "private:\(Self.hex.lowercased())\n")
    }

    @Test(arguments: [
        ("public:\(hex)", GatewayKeyError.isPublic), ("PUBLIC:\(hex)", .isPublic), ("privat\u{5}:\(hex)", .malformed),
        ("private\u{1a}\(hex)", .malformed), ("private:  \(hex)", .malformed), ("private:\(hex)0", .malformed),
        ("private:\(hex.dropLast())g", .malformed), ("private:\(hex)\nprivate:\(hex)", .severalLines),
        ("private:" + String(repeating: "0", count: 64), .zeros), ("", .malformed),
    ])
    func `what is not a private key`(_ text: String, _ error: GatewayKeyError) {
        #expect(throws: error) { _ = try GatewayKeyText.decode(text.utf8.span, mayBeBare: true) }
    }

    @Test func `a bare key only where it may stand`() {
        #expect(throws: GatewayKeyError.malformed) {
            _ = try GatewayKeyText.decode(Self.hex.utf8.span, mayBeBare: false)
        }
    }

    @Test func `ten thousand changed texts`() {
        let random = SeededRandom(seed: 39)
        let whole = Array("private: \(Self.hex)\n".utf8)
        var read = 0
        for _ in 0..<10_000 {
            let text = random.changed(whole)
            guard let key = try? GatewayKeyText.decode(text.span, mayBeBare: true) else { continue }
            read += 1
            // The digits are those of the text.
            let digits = GatewayKeyText.encode(key).copied.dropFirst(8).dropLast()
            #expect(
                String(decoding: text, as: UTF8.self).lowercased().contains(String(decoding: digits, as: UTF8.self)))
        }
        #expect((100...9000).contains(read))
    }

    @Test func `each character of a secret is visible`() {
        for byte in UInt8.min...UInt8.max {
            let bytes = [0x41, byte, 0x42]
            #expect((GatewaySecret(SecureBytes(copying: bytes.span)) != nil) == (0x21...0x7e).contains(byte), "\(byte)")
        }
        for count in [0, 1, 160, 161] {
            let bytes = [UInt8](repeating: 0x41, count: count)
            #expect((GatewaySecret(SecureBytes(copying: bytes.span)) != nil) == (1...160).contains(count))
        }
    }
}
