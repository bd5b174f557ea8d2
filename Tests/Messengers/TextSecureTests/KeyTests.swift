import Primitives
import Ratchet
import SecureMemory
import Testing
import VectorKit

@testable import TextSecure

@Suite struct KeyTests {
    @Test(arguments: try Vector.all(in: .textSecure, op: "public-key-serialize"))
    func `public keys`(_ vector: Vector) throws {
        let key = try agreementKey(vector.inputs.bytes("private_key")).publicKey
        #expect(key.point == (try vector.expected.bytes("public_key")))
        #expect(key.bytes == (try vector.expected.bytes("serialized")))
        #expect(key.text == (try vector.expected.string("base64_unpadded")))
        #expect(key.fingerprint == (try vector.expected.string("fingerprint_hex")))
        #expect(PublicKey33(text: key.text) == key && PublicKey33(key.bytes) == key)
        #expect(PublicKey33(text: " " + key.text + "\r\n") == key)
    }

    @Test func `what is no public key`() throws {
        let key = AgreementKey().publicKey
        #expect(PublicKey33(key.point) == nil && PublicKey33(key.bytes + [0]) == nil && PublicKey33([]) == nil)
        #expect(PublicKey33([4] + key.point) == nil && PublicKey33(point: Array(key.point.dropLast())) == nil)
        #expect(PublicKey33(point: [UInt8](repeating: 0, count: 32)) == nil)
        // The same point for X25519.
        #expect(PublicKey33(Array(key.bytes.dropLast()) + [key.bytes[32] | 0x80]) == nil)
        for text in [String(key.text.dropLast()), key.text + "A", key.text + "=", key.text + "AAAA", ""] {
            #expect(PublicKey33(text: text) == nil)
        }
    }

    @Test func `private keys are clamped`() throws {
        let raw = [UInt8](repeating: 0xff, count: 32)
        let key = try agreementKey(raw)
        #expect(key.held.bytes.copied == [0xf8] + [UInt8](repeating: 0xff, count: 30) + [0x7f])
        #expect(key.publicKey.point == X25519.publicKey(of: raw.span))
        #expect(throws: Missing.self) { try agreementKey([UInt8](repeating: 1, count: 31)) }
        for _ in 0..<20 {
            let bytes = AgreementKey().held.bytes.copied
            #expect(bytes[0] & 7 == 0 && bytes[31] & 0xc0 == 0x40)
        }
    }

    /// The digits are of Python's hashlib.
    @Test func `numeric fingerprints`() throws {
        let vectors = try Vector.all(in: .textSecure, op: "public-key-serialize")
        let keys = try vectors.map { try #require(PublicKey33($0.expected.bytes("serialized"))) }
        let one = NumericFingerprint(own: (keys[0], "+12025550123"), peer: (keys[1], "+12025550124"))
        let other = NumericFingerprint(own: (keys[1], "+12025550124"), peer: (keys[0], "+12025550123"))
        #expect(one == other && one.digits == "117831148878530790773982592047343702058693112236914630464282")
        #expect(one.matches(one.description) && one.matches(one.digits + "\n") && one.description.count == 71)
        #expect(!one.matches(String(one.digits.dropLast())) && !one.matches(""))
        #expect(NumericFingerprint(own: (keys[0], "+12025550123"), peer: (keys[2], "+12025550124")) != one)
        #expect(NumericFingerprint(own: (keys[0], "+12025550125"), peer: (keys[1], "+12025550124")) != one)
    }
}
