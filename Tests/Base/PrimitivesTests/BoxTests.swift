import Primitives
import SecureMemory
import Testing
import VectorKit

@Suite struct BoxTests {
    /// `firstkey` of NaCl's test programs: they have the keys of RFC 7748, and the first secretbox vector uses it.
    @Test func `the shared key is NaCl's`() throws {
        let alice = try Vector.named("x25519-rfc7748-alice", in: .x25519)
        let bob = try Vector.named("x25519-rfc7748-bob", in: .x25519)
        let first = try Vector.named("secretbox-nacl", in: .secretBox).inputs.string("key")
        for (own, other) in [(alice, bob), (bob, alice)] {
            let privateKey = try own.inputs.bytes("private_key")
            let publicKey = try other.expected.bytes("public_key")
            #expect(try Box.sharedKey(privateKey: privateKey.span, publicKey: publicKey.span).copied.hex == first)
        }
    }

    @Test func `both sides have one key, and a box opens with it`() throws {
        for _ in 0..<20 {
            let (left, right) = (Random.bytes(32), Random.bytes(32))
            let key = try Box.sharedKey(privateKey: left.span, publicKey: X25519.publicKey(of: right.span).span)
            let same = try Box.sharedKey(privateKey: right.span, publicKey: X25519.publicKey(of: left.span).span)
            #expect(key.copied == same.copied)
            let nonce = Random.bytes(Box.nonceCount)
            let text = Random.bytes(Int(Random.number(below: 100)))
            let box = Box.seal(text.span, nonce: nonce, sharedKey: key)
            #expect(box.count == text.count + Box.tagCount)
            #expect(try Box.open(box.span, nonce: nonce, sharedKey: same).copied == text)
            var other = nonce
            other[0] ^= 1
            #expect(throws: AuthenticationError.notAuthentic) {
                try Box.open(box.span, nonce: other, sharedKey: key).copied
            }
        }
    }

    /// RFC 7748, section 6.1: the points of small order, also with the bit that X25519 ignores.
    @Test(arguments: [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0000000000000000000000000000000000000000000000000000000000000080",
    ]) func `a point of small order is refused`(_ point: String) {
        let publicKey = [UInt8](hex: point)!
        let privateKey = Random.bytes(32)
        #expect(throws: SharedKeyError.weakPublicKey) {
            try Box.sharedKey(privateKey: privateKey.span, publicKey: publicKey.span).copied
        }
    }
}
