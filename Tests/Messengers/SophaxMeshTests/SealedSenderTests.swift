import Primitives
import SecureMemory
import SophaxChat
import SophaxKit
import Testing
import VectorKit

@testable import SophaxMesh

@Suite struct SealedSenderTests {
    @Test(arguments: try Vector.all(in: .sophaxChat, op: "sealed-sender"))
    func `sealed sender`(_ vector: Vector) throws {
        let (own, recipient) = (
            try vector.inputs.bytes("recipient_private"), try vector.inputs.bytes("recipient_public")
        )
        let inner = try vector.inputs.bytes("inner")
        for version in [WireMessage.Version.one, .two] {
            let sealed = try SealedMessage.seal(
                inner, for: recipient, version: version, ephemeral: secure(vector.inputs.bytes("ephemeral_private")),
                nonce: vector.inputs.bytes("nonce"))
            #expect(sealed.ephemeral == (try vector.expected.bytes("ephemeral_public")))
            if version == .one {
                #expect(sealed.box == (try vector.expected.bytes("encrypted_payload")))
            } else {
                // Computed elsewhere.
                #expect(sealed.box.hex.hasSuffix("c2ed383284e031e1f110a414f243e0b1"))
            }
            #expect(try SealedMessage(parsing: sealed.encoded) == sealed)
            #expect(try sealed.openBytes(secure(own), recipient) == inner)
        }
        let key = try SealedMessage.key(secure(own), try vector.expected.bytes("ephemeral_public"))
        #expect(key.copied == (try vector.expected.bytes("sealing_key")))
    }

    @Test func `messages inside`() throws {
        let message = try typing()
        let other = try bob()
        let sealed = try SealedMessage.seal(message, for: other.publicIdentity)
        #expect(try sealed.open(by: other) == message)
        let wrong = try alice()
        #expect(throws: SealedError.notAuthentic) { try sealed.open(by: wrong) }
        let nested = try WireMessage.sign(.sealed, payload: sealed.encoded, to: other.peerID, by: wrong, at: now)
        #expect(throws: SealedError.inner(.nestedSeal)) { try SealedMessage.seal(nested, for: other.publicIdentity) }
        let hidden = try SealedMessage.seal(
            nested.encoded, for: other.publicIdentity.agreement, version: .two, ephemeral: Random.secret(32),
            nonce: Random.bytes(12))
        #expect(throws: SealedError.inner(.nestedSeal)) { try hidden.open(by: other) }
    }

    @Test func `version 2 is not read as version 1, and version 1 not if 2 is asked for`() throws {
        let other = try bob()
        let text = String(
            decoding: try SealedMessage.seal(typing(), for: other.publicIdentity).encoded, as: UTF8.self)
        let lower = try SealedMessage(parsing: Array(text.replacing(",\"v\":2", with: "").utf8))
        #expect(lower.version == .one)
        #expect(throws: SealedError.notAuthentic) { try lower.open(by: other) }
        let old = try SealedMessage.seal(typing(), for: other.publicIdentity, version: .one)
        #expect(throws: SealedError.inner(.lowerVersion)) { try old.open(by: other, pinned: .two) }
    }

    @Test func `keys of low order`() throws {
        let other = try bob()
        let zero = try #require(
            PublicIdentity(signing: other.publicIdentity.signing, agreement: [UInt8](repeating: 0, count: 32)))
        #expect(throws: SealedError.weakKey) { try SealedMessage.seal(typing(), for: zero) }
    }

    @Test func `10,000 mutations`() throws {
        let random = SeededRandom(seed: 1)
        let sealed = try SealedMessage.seal(typing(), for: bob().publicIdentity).encoded
        for _ in 0..<10_000 {
            if let read = try? SealedMessage(parsing: random.changed(sealed)) { #expect(read.ephemeral.count == 32) }
        }
    }
}
