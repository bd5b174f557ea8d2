import Primitives
import SecureMemory
import Testing
import VectorKit

@Suite struct HashTests {
    @Test(arguments: try Vector.all(in: .sha256)) func `SHA-256`(_ vector: Vector) throws {
        let message = try vector.inputs.repeated("message")
        #expect(SHA256.hash(message.span).hex == (try vector.expected.string("digest")))
    }

    @Test(arguments: try Vector.all(in: .sha512)) func `SHA-512`(_ vector: Vector) throws {
        let message = try vector.inputs.repeated("message")
        #expect(SHA512.hash(message.span).copied.hex == (try vector.expected.string("digest")))
    }

    /// FIPS 180-4's examples, and the empty message.
    @Test(arguments: [
        ("", 1, "da39a3ee5e6b4b0d3255bfef95601890afd80709"), ("abc", 1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
        ), ("a", 1_000_000, "34aa973cd4c4daa4f61eeb2bdbad27316534016f"),
    ]) func `SHA-1`(_ text: String, _ times: Int, _ digest: String) {
        let message = [UInt8](String(repeating: text, count: times).utf8)
        #expect(Legacy.SHA1.hash(message.span).hex == digest)
    }

    @Test(arguments: try Vector.all(in: .hmacSHA256)) func `HMAC-SHA-256`(_ vector: Vector) throws {
        let key = try vector.inputs.bytes("key")
        let message = try vector.inputs.bytes("message")
        let tag = HMACSHA256.authenticate(message.span, key: key.span)
        #expect(tag.count == SHA256.count)
        // RFC 4231 gives the fifth tag truncated.
        let expected = try vector.expected.bytes("tag")
        #expect(expected.count == (vector.id == "hmac-rfc4231-5" ? 16 : 32))
        #expect(Array(tag.prefix(expected.count)) == expected)
        let derived = HMACSHA256.derive(message.span, key: key.span)
        #expect(derived.withBytes { $0.revealBytes() } == tag)
        if key.count <= 64 { #expect(HMACSHA256.authenticate(message.span, publicKey: key) == tag) }
        for count in [1, 7, 64] {
            var stream = HMACSHA256Stream(key: SecureBytes(copying: key.span))
            for start in stride(from: 0, to: message.count, by: count) {
                stream.update(message.span.extracting(start..<min(message.count, start + count)))
            }
            #expect(stream.finish() == tag)
        }
    }

    /// RFC 2202, cases 1 to 4.
    @Test(
        arguments: [
            ([UInt8](repeating: 0x0b, count: 20), Array("Hi There".utf8), "b617318655057264e28bc0b6fb378c8ef146be00"),
            (
                Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
                "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"
            ),
            (
                [UInt8](repeating: 0xaa, count: 20), [UInt8](repeating: 0xdd, count: 50),
                "125d7342b9ac11cd91a39af48aa17b4f63f175d3"
            ),
            (Array(1...25), [UInt8](repeating: 0xcd, count: 50), "4c9007f4026250c6bc8414f9bf50c86c2d7235da"),
        ] as [([UInt8], [UInt8], String)]) func `HMAC-SHA-1`(_ key: [UInt8], _ message: [UInt8], _ tag: String)
    {
        let key = SecureBytes(copying: key.span)
        #expect(Legacy.HMACSHA1.authenticate(message.span, key: key).hex == tag)
    }

    @Test(arguments: try Vector.all(in: .blake2b)) func `BLAKE2b-256`(_ vector: Vector) throws {
        let message = try vector.inputs.bytes("message")
        let keyBytes = try vector.inputs.bytes("key")
        let salt = try vector.inputs.string("salt")
        let personal = try vector.inputs.string("personal")
        let expected = try vector.expected.bytes("digest")
        let key = SecureBytes(copying: keyBytes.span)
        if key.count == 0 {
            #expect(BLAKE2b.hash(message.span) == expected)
        } else if salt.isEmpty && personal.isEmpty {
            let tag = BLAKE2b.authenticate(message.span, key: key)
            #expect(tag == expected)
            for end in [0, message.count / 2, message.count] {
                let (prefix, rest) = (Array(message[..<end]), Array(message[end...]))
                #expect(BLAKE2b.authenticate(rest.span, after: prefix.span, key: key) == expected)
            }
        }
        if message.isEmpty && key.count > 0 {
            let derived = BLAKE2b.deriveKey(from: key, salt: salt, personal: personal)
            #expect(derived.copied == expected)
        }
        #expect(
            key.count == 0 && salt.isEmpty && personal.isEmpty || key.count > 0 && (message.isEmpty || salt.isEmpty))
    }

    @Test func `lengths are those of the specifications`() {
        #expect(SHA256.count == 32)
        #expect(BLAKE2b.count == 32)
    }

    @Test func `a field of 17 bytes and a key of 65 end the process`() async {
        await #expect(processExitsWith: .failure) {
            _ = BLAKE2b.deriveKey(from: Random.secret(32), salt: "seventeen bytes..", personal: "")
        }
        await #expect(processExitsWith: .failure) {
            _ = BLAKE2b.deriveKey(from: Random.secret(32), salt: "", personal: "seventeen bytes..")
        }
        await #expect(processExitsWith: .failure) {
            _ = BLAKE2b.authenticate([UInt8]([1]).span, key: Random.secret(65))
        }
    }
}

extension Fields {
    /// Bytes that the vector writes once and counts in `times`.
    func repeated(_ name: String) throws -> [UInt8] {
        let bytes = try bytes(name)
        let times = try integer("times")
        // Ones of a single byte are long; the initialiser is faster than joining.
        return bytes.count == 1
            ? [UInt8](repeating: bytes[0], count: times) : Array(repeatElement(bytes, count: times).joined())
    }
}
