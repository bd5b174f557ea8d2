import SecureMemory
import Testing
import VectorKit

@testable import Primitives

@Suite struct LegacyTests {
    private func secure(_ bytes: [UInt8]) -> SecureBytes { SecureBytes(copying: bytes.span) }

    private func bytes(_ hex: String) throws -> [UInt8] { try #require([UInt8](hex: hex)) }

    /// RFC 1321, section A.5.
    @Test(arguments: [
        ("", "d41d8cd98f00b204e9800998ecf8427e"), ("abc", "900150983cd24fb0d6963f7d28e17f72"),
        ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
    ]) func `MD5`(_ text: String, _ digest: String) throws {
        let message = Array(text.utf8)
        #expect(Legacy.MD5.hash(message.span).hex == digest)
        #expect(Legacy.MD5.derive(message.span).copied.hex == digest)
    }

    @Test func `a digest in guarded memory is the same`() {
        let message = Random.bytes(1000)
        #expect(Legacy.SHA1.derive(message.span).copied == Legacy.SHA1.hash(message.span))
    }

    /// RFC 6070.
    @Test(arguments: [
        ("password", "salt", 1, "0c60c80f961f0e71f3a9b524af6012062fe037a6"),
        ("password", "salt", 2, "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957"),
        ("password", "salt", 4096, "4b007901b765489abead49d926f721d065a429c1"),
        (
            "passwordPASSWORDpassword", "saltSALTsaltSALTsaltSALTsaltSALTsalt", 4096,
            "3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038"
        ), ("pass\0word", "sa\0lt", 4096, "56fa6aa75548099dcc37d7f03425e0c3"),
    ]) func `PBKDF2 with HMAC-SHA-1`(_ password: String, _ salt: String, _ iterations: Int, _ key: String) throws {
        let derived = Legacy.PBKDF2SHA1.deriveKey(
            password: Array(password.utf8).span, salt: Array(salt.utf8), iterations: iterations, count: key.count / 2)
        #expect(derived.copied.hex == key)
    }

    /// Computed with Python's hashlib: a short password, and one that is longer than a block.
    @Test func `PBKDF2 with HMAC-SHA-512`() throws {
        let password = Array("password".utf8)
        let short = PBKDF2.deriveKeySHA512(
            password: password.span, salt: Array("salt".utf8), iterations: 2, count: 70)
        #expect(
            short.copied
                == (try bytes(
                    """
                    e1d9c16aa681708a45f5c7c4e215ceb66e011a2e9f0040713f18aefdb866d53c
                    f76cab2868a39b9f7840edce4fef5a82be67335c77a6068e04112754f27ccf4e
                    473e311ad827
                    """)))
        let long = [UInt8](repeating: 0x61, count: 129)
        let other = PBKDF2.deriveKeySHA512(password: long.span, salt: [], iterations: 3, count: 16)
        #expect(other.copied == (try bytes("66d809acfefa15e897dde3ed51e6d3b4")))
    }

    /// NIST SP 800-38A, F.2.5.
    @Test func `AES-256-CBC`() throws {
        let key = secure(try bytes("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"))
        let iv = try bytes("000102030405060708090a0b0c0d0e0f")
        let plaintext = try bytes("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51")
        let ciphertext = try bytes("f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d")
        #expect(Legacy.AESCBC.encrypt(plaintext.span, key: key, iv: iv) == ciphertext)
        #expect(Legacy.AESCBC.decrypt(ciphertext.span, key: key, iv: iv).copied == plaintext)
        // The IV of the caller is not changed.
        #expect(iv == (try bytes("000102030405060708090a0b0c0d0e0f")))
        #expect(Legacy.AESCBC.encrypt([UInt8]().span, key: key, iv: iv) == [])
    }

    /// NIST SP 800-38A, F.5.5.
    @Test func `AES-256-CTR`() throws {
        let key = secure(try bytes("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"))
        let iv = try bytes("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")
        let plaintext = try bytes(
            "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
                + "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710")
        let ciphertext = try bytes(
            "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5"
                + "2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6")
        for count in [0, 1, 15, 16, 17, 33, 64] {
            let (plain, sealed) = (Array(plaintext[..<count]), Array(ciphertext[..<count]))
            #expect(Legacy.AESCTR.encrypt(plain.span, key: key, iv: iv.span) == sealed)
            #expect(Legacy.AESCTR.decrypt(sealed.span, key: key, iv: iv.span).copied == plain)
        }
        #expect(iv == (try bytes("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")))
    }

    /// Computed with OpenSSL, by Python's cryptography. Libraries that count 32 or 64 bits differ.
    @Test(arguments: [
        (
            "ffffffffffffffffffffffffffffffff",
            "3b3c2921c85a24de9ac606ce6d1d60cce568f68194cf76d6174d4cc04310a85491151e5d0b7a1f1b"
        ),
        (
            "00000000ffffffffffffffffffffffff",
            "71e4983a0390610f90df39fc42b14035d2c0d11bf937a391fc739a5854c6b94cc3"
        ),
        (
            "000000000000000000000000ffffffff",
            "55660ce5e9c1cf3d6bbdd2ccf42434979ff73b5d5d7c596928427adf292d10ff03"
        ),
    ]) func `the counter of CTR has 128 bits`(_ iv: String, _ keystream: String) throws {
        let key = secure(try bytes("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"))
        let (iv, keystream) = (try bytes(iv), try bytes(keystream))
        let zeros = [UInt8](repeating: 0, count: keystream.count)
        #expect(Legacy.AESCTR.encrypt(zeros.span, key: key, iv: iv.span) == keystream)
    }

    @Test(arguments: try Vector.all(in: .telegram).filter { $0.op?.hasPrefix("aes-ige") == true })
    func `AES-IGE`(_ vector: Vector) throws {
        let key = secure(try vector.inputs.bytes("key"))
        let iv = secure(try vector.inputs.bytes("iv"))
        let isEncryption = vector.op == "aes-ige-encrypt"
        let plaintext = try (isEncryption ? vector.inputs : vector.expected).bytes("plaintext")
        let ciphertext = try (isEncryption ? vector.expected : vector.inputs).bytes("ciphertext")
        #expect(Legacy.AESIGE.encrypt(plaintext.span, key: key, iv: iv) == ciphertext)
        #expect(Legacy.AESIGE.decrypt(ciphertext.span, key: key, iv: iv).copied == plaintext)
        #expect(iv.copied == (try vector.inputs.bytes("iv")))
    }

    @Test func `a changed block of IGE changes all that follow`() {
        let key = Random.secret(32)
        let iv = Random.secret(32)
        let plaintext = Random.bytes(160)
        var ciphertext = Legacy.AESIGE.encrypt(plaintext.span, key: key, iv: iv)
        ciphertext[40] ^= 1
        let garbled = Legacy.AESIGE.decrypt(ciphertext.span, key: key, iv: iv).copied
        #expect(garbled[..<32] == plaintext[..<32])
        for block in 2..<10 {
            #expect(garbled[(16 * block)..<(16 * block + 16)] != plaintext[(16 * block)..<(16 * block + 16)])
        }
    }

    @Test func `other lengths end the process`() async {
        await #expect(processExitsWith: .failure) {
            _ = Legacy.AESIGE.encrypt(
                [UInt8](repeating: 0, count: 17).span, key: Random.secret(32), iv: Random.secret(32))
        }
        await #expect(processExitsWith: .failure) {
            _ = Legacy.AESIGE.decrypt(
                [UInt8](repeating: 0, count: 16).span, key: Random.secret(32), iv: Random.secret(16))
        }
        await #expect(processExitsWith: .failure) {
            _ = Legacy.AESCBC.decrypt(
                [UInt8](repeating: 0, count: 16).span, key: Random.secret(31), iv: Random.bytes(16))
        }
    }
}
