import Primitives
import SecureMemory
import Testing
import VectorKit

@testable import Telegram

/// Authorization keys, and the symmetric part of their creation.
@Suite struct KeyTests {
    @Test(arguments: [0, 1, 255, 257, 512]) func `a key has 256 bytes`(_ count: Int) {
        #expect(throws: AuthorizationKeyError.wrongLength(expected: 256, actual: count)) {
            let key = try authorizationKey([UInt8](repeating: 1, count: count))
            _ = key.id
        }
    }

    @Test func `a number has zeros on the left`() throws {
        let number = Random.bytes(254)
        let key = try AuthorizationKey(number: number.span)
        #expect(key.bytes.copied == [0, 0] + number)
        #expect(throws: AuthorizationKeyError.wrongLength(expected: 256, actual: 257)) {
            let long = [0] + Random.bytes(256)
            let key = try AuthorizationKey(number: long.span)
            _ = key.id
        }
    }

    @Test func `ID and auxiliary hash are the ends of SHA-1`() throws {
        let bytes = Random.bytes(256)
        let key = try authorizationKey(bytes)
        let digest = Legacy.SHA1.hash(bytes.span)
        #expect(key.id.bytes == Array(digest[12...]) && key.auxiliaryHash == Array(digest[..<8]))
        #expect(key.digest == digest)
        // The number is little-endian and unsigned.
        #expect(KeyID([1, 0, 0, 0, 0, 0, 0, 0xff]).number == 0xff00_0000_0000_0001)
        #expect(KeyID([1, 0, 0, 0, 0, 0, 0, 0xff]).description == "01000000000000ff")
        #expect(KeyID("0123") == nil && KeyID("0123456789abcdeg") == nil)
    }

    @Test func `a new key must have an ID that is neither zero nor known`() throws {
        let key = try authorizationKey(Random.bytes(256))
        try key.requireNew(among: [KeyID(number: 1)])
        #expect(throws: AuthorizationKeyError.knownID(key.id)) {
            let other = try authorizationKey(key.bytes.copied)
            try other.requireNew(among: [KeyID(number: 1), other.id])
        }
        // No key with the ID zero is known, so only the name is tested.
        #expect(KeyID.zero.isZero && KeyID.zero.bytes == [UInt8](repeating: 0, count: 8))
    }

    @Test func `a held key shows nothing, and is compared by its bytes`() throws {
        let bytes = Random.bytes(256)
        let held = HeldAuthorizationKey(try authorizationKey(bytes))
        #expect("\(held)" == "HeldAuthorizationKey")
        #expect(held == HeldAuthorizationKey(try authorizationKey(bytes)))
        #expect(held != HeldAuthorizationKey(try authorizationKey(Random.bytes(256))))
    }

    @Test(arguments: 0...64) func `an answer of the key exchange opens to its data`(_ count: Int) throws {
        let nonce = NewNonce(Random.secret(32))
        let keys = nonce.temporaryKeys(serverNonce: Random.bytes(16))
        let data = Random.bytes(count)
        let sealed = KeyExchangeAnswer.seal(data.span, keys: keys)
        #expect(sealed.count % 16 == 0 && sealed.count - count - 20 < 16)
        #expect(try KeyExchangeAnswer.open(sealed.span, keys: keys).copied == data)
    }

    @Test func `an answer with more padding is refused`() throws {
        let keys = NewNonce(Random.secret(32)).temporaryKeys(serverNonce: Random.bytes(16))
        let data = Random.bytes(12)
        let plain = Legacy.SHA1.hash(data.span) + data + Random.bytes(16)
        let sealed = Legacy.AESIGE.encrypt(plain.span, key: keys.key, iv: keys.iv)
        try refuses(.notAuthentic, sealed, keys)
        // With 15 bytes it is right, which is the most.
        let longest = Random.bytes(13)
        let right = Legacy.SHA1.hash(longest.span) + longest + Random.bytes(15)
        let opened = try KeyExchangeAnswer.open(
            Legacy.AESIGE.encrypt(right.span, key: keys.key, iv: keys.iv).span, keys: keys)
        #expect(opened.copied == longest)
    }

    @Test func `an answer of another key, of other bytes and of another length is refused`() throws {
        let keys = NewNonce(Random.secret(32)).temporaryKeys(serverNonce: Random.bytes(16))
        let other = NewNonce(Random.secret(32)).temporaryKeys(serverNonce: Random.bytes(16))
        let sealed = KeyExchangeAnswer.seal(Random.bytes(50).span, keys: keys)
        try refuses(.notAuthentic, sealed, other)
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 0x10
            // The last block contains padding, which is not covered; its bytes before it are.
            if index < 64 { try refuses(.notAuthentic, changed, keys) }
        }
        for count in [0, 16, 31, 65, 65_552] {
            try refuses(.malformed, [UInt8](repeating: 0, count: count), keys)
        }
    }

    private func refuses(_ expected: KeyExchangeError, _ answer: [UInt8], _ keys: borrowing BlockKeys) throws {
        do throws(KeyExchangeError) {
            _ = try KeyExchangeAnswer.open(answer.span, keys: keys)
            Issue.record("an answer of \(answer.count) bytes was opened")
        } catch {
            #expect(error == expected)
        }
    }
}
