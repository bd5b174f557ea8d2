import Encodings
import Foundation
import SecureMemory
import Testing
import VectorKit

@Suite struct Base64Tests {
    private let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ]) func `RFC 4648's vectors`(_ plain: String, _ text: String) {
        #expect(encode(Array(plain.utf8)) == text)
        #expect(decode(text) == Array(plain.utf8))
    }

    @Test func `every value has its character`() {
        let bytes = [UInt8](
            hex: "00108310518720928b30d38f41149351559761969b71d79f8218a39259a7a29aabb2dbafc31cb3d35db7e39ebbf3dfbf")!
        #expect(encode(bytes) == String(decoding: alphabet, as: UTF8.self))
        #expect(decode(String(decoding: alphabet, as: UTF8.self)) == bytes)
    }

    @Test func `every length agrees with Foundation`() {
        for count in 0...260 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 151 + count) }
            let text = Data(bytes).base64EncodedString()
            #expect(encode(bytes) == text)
            #expect(decode(text) == bytes)
            #expect(Base64.encodedCount(count) == text.utf8.count)
        }
    }

    @Test func `without padding, only the canonical text is read`() {
        for count in 0...50 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 151 + count) }
            let text = Base64.encodeUnpadded(bytes.span)
            #expect(text == Data(bytes).base64EncodedString().filter { $0 != "=" })
            #expect(decodePublic(text, isPadded: false) == bytes)
            let padded = encode(bytes)
            #expect(decodePublic(padded, isPadded: true) == bytes)
            #expect((decodePublic(padded, isPadded: false) != nil) == (padded == text))
            #expect((decodePublic(text, isPadded: true) != nil) == (padded == text))
        }
        // One character is no byte; unused bits; line breaks and blanks.
        for text in ["A", "AAAAA", "Zh", "Zm9", "Zm9vYh", "Zm 9", "Zm9v\n", "\nZm9v", "Zg=", "=", "====", "Zg-_"] {
            #expect(decodePublic(text, isPadded: false) == nil, "\(text)")
        }
    }

    private func decodePublic(_ text: String, isPadded: Bool) -> [UInt8]? {
        let text = Array(text.utf8)
        return Base64.decodePublic(text.span, isPadded: isPadded)
    }

    @Test func `a secret's text is the same, behind what is there already`() {
        let key = [UInt8](hex: "01020304050607086465666768696a6b01020304050607086465666768696a6b")!
        var buffer = SecureBuffer(capacity: 1 + Base64.encodedCount(key.count))
        buffer.append(UInt8(ascii: "\""))
        Base64.encode(key.span, appendingTo: &buffer)
        let isFull = buffer.isFull
        #expect(isFull)
        #expect(buffer.finish().copied == Array("\"AQIDBAUGBwhkZWZnaGlqawECAwQFBgcIZGVmZ2hpams=".utf8))
    }

    @Test func `the private key of a Safe document`() throws {
        let vector = try Vector.named("safe-json-android-key", in: .safeJSON)
        let key = try vector.inputs.bytes("private_key_hex")
        let text = try vector.expected.string("privatekey_base64")
        #expect(encode(key) == text)
        #expect(decode(text) == key)
    }

    @Test func `any other character is refused, wherever it stands`() {
        for position in 0..<8 {
            for byte in UInt8.min...UInt8.max {
                var text = Array("Zm9vYmFy".utf8)
                text[position] = byte
                // A last "=" is padding; the bits that it leaves unused are not zero here.
                #expect((decode(text) != nil) == alphabet.contains(byte), "\(byte) at \(position)")
            }
        }
    }

    @Test func `an ending has one spelling`() {
        for (value, character) in alphabet.enumerated() {
            let one = decode([UInt8(ascii: "Z"), character, UInt8(ascii: "="), UInt8(ascii: "=")])
            #expect((one != nil) == (value & 0x0f == 0), "\(value)")
            let two = decode([UInt8(ascii: "Z"), UInt8(ascii: "m"), character, UInt8(ascii: "=")])
            #expect((two != nil) == (value & 0x03 == 0), "\(value)")
        }
    }

    @Test(arguments: [
        "Z", "Zm", "Zm9", "Zm9vY", "Zg", "Zg=", "Zg===", "Zm8", "Zm8==",
        "=", "==", "===", "====", "Z===", "=Zg=", "Z=g=", "Zg=v", "=m9v", "Z=9v", "Zm=v",
        "Zg==Zg==", "Zm8=Zm9v", "Zm9v====", "Zm9v=", "Zm9v==",
        "Zm9v\n", "Zm9v\r\n\r\n", " Zm9", "Zm 9", "Zm9vYg==\n", "Zg==   ", "Zm\u{0}v",
        "Zm-v", "Zm_v", "Zm8\u{ff1d}", "Zm9\u{fffd}",
    ]) func `what is no padded encoding is refused`(_ text: String) {
        #expect(decode(text) == nil)
    }

    private func encode(_ bytes: [UInt8]) -> String { Base64.encode(bytes.span) }

    private func decode(_ text: String) -> [UInt8]? { decode(Array(text.utf8)) }

    private func decode(_ text: [UInt8]) -> [UInt8]? {
        guard let bytes = Base64.decode(text.span) else { return nil }
        return bytes.copied
    }
}
