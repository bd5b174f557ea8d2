import Primitives
import RatchetModel
import SecureMemory
import SophaxChat
import Testing
import TextSecure
import VectorKit

@testable import Ratchet

/// The vectors of two messengers, one test for each operation.
@Suite struct VectorTests {
    @Test(arguments: try Vector.all(in: .ratchet, op: "hkdf-v2"))
    func `HKDF of version 2`(_ vector: Vector) throws {
        let inputs = vector.inputs
        let (secret, salt) = (try inputs.bytes("ikm"), try inputs.bytes("salt"))
        let info = try inputs.bytes("info")
        let key = HKDFSHA256.deriveKey(
            from: secret.span, salt: salt.span, info: info.span, count: try inputs.integer("length"),
            firstBlock: RatchetSuite.textSecure2.firstBlock)
        #expect(key.copied == (try vector.expected.bytes("okm")))
    }

    @Test(arguments: try Vector.all(in: .ratchet, op: "axolotl-initial-root"))
    func `3DH of version 2`(_ vector: Vector) throws {
        let inputs = vector.inputs
        #expect(try inputs.integer("version") == 2)
        let expected = try vector.expected.bytes("root_key") + vector.expected.bytes("chain_key")
        let secret = try FirstSecret.initiate(
            .textSecure2, identity: secure(inputs.bytes("alice_identity_private")),
            ephemeral: secure(inputs.bytes("alice_ephemeral_private")),
            with: FirstSecret.ResponderKeys(
                identity: inputs.bytes("bob_identity_public"), prekey: inputs.bytes("bob_prekey_public")))
        let isEqual = secret.equals(secure(expected))
        #expect(isEqual)
    }

    @Test(arguments: try Vector.all(in: .ratchet, op: "axolotl-chain"))
    func `a root step and message keys of version 2`(_ vector: Vector) throws {
        let (inputs, expected) = (vector.inputs, vector.expected)
        #expect(try inputs.integer("version") == 2)
        let suite = RatchetSuite.textSecure2
        let step = try suite.rootStep(
            held(inputs.bytes("root_key")), held(inputs.bytes("ratchet_private")),
            inputs.bytes("their_ratchet_public"))
        #expect(step.root.bytes.copied == (try expected.bytes("new_root_key")))
        #expect(step.chain.bytes.copied == (try expected.bytes("chain_key")))
        #expect(step.nextHeaderKey == nil)
        let walk = KeyChain(key: step.chain).walk(to: 1)
        #expect(walk.chain.key.bytes.copied == (try expected.bytes("next_chain_key")))
        let keys = suite.messageKey(walk.lastKey).bytes.copied
        #expect(keys == (try expected.bytes("message_cipher_key") + expected.bytes("message_mac_key")))
    }

    @Test(arguments: try Vector.all(in: .ratchet, op: "x3dh"))
    func `X3DH of both sides`(_ vector: Vector) throws {
        let inputs = vector.inputs
        let oneTime = try inputs.bytes("opk_b_public")
        let expected = try vector.expected.bytes("shared_secret")
        let sent = try FirstSecret.initiate(
            .sophaxChat, identity: secure(inputs.bytes("ik_a_private")),
            ephemeral: secure(inputs.bytes("ek_a_private")),
            with: FirstSecret.ResponderKeys(
                identity: inputs.bytes("ik_b_public"), prekey: inputs.bytes("spk_b_public"),
                oneTime: oneTime.isEmpty ? nil : oneTime))
        let received = try FirstSecret.respond(
            .sophaxChat, identity: secure(inputs.bytes("ik_b_private")), prekey: secure(inputs.bytes("spk_b_private")),
            oneTime: oneTime.isEmpty ? nil : held(inputs.bytes("opk_b_private")),
            initiator: inputs.bytes("ik_a_public"), ephemeral: inputs.bytes("ek_a_public"))
        let areEqual = (sent.equals(secure(expected)), received.equals(secure(expected)))
        #expect(areEqual == (true, true))
    }

    @Test(arguments: try Vector.all(in: .ratchet, op: "kdf-rk"))
    func `a root step with header keys`(_ vector: Vector) throws {
        let keys = RatchetSuite.sophaxChat.rootKeys(
            root: secure(try vector.inputs.bytes("root_key")), secret: secure(try vector.inputs.bytes("dh_output")))
        let expected = ["new_root_key", "chain_key", "next_header_key"]
        #expect(keys.copied == (try expected.flatMap { try vector.expected.bytes($0) }))
    }

    @Test(arguments: try Vector.all(in: .ratchet, op: "sender-key-chain"))
    func `a chain of eight keys`(_ vector: Vector) throws {
        let chain = KeyChain(key: held(try vector.inputs.bytes("chain_key")))
        let count = try vector.inputs.integer("iterations")
        let walk = chain.walk(to: UInt32(count))
        let expected = try vector.expected.string("message_keys").split(separator: ",")
        #expect(expected.count == count && count == 8)
        var table = KeyTable()
        walk.store(in: &table, from: 0, count, at: start)
        #expect((0..<8).map { table.key($0)?.bytes.copied.hex } == expected.map(String.init))
        #expect(walk.chain.key.bytes.copied == (try vector.expected.bytes("chain_key_8")))
    }

    @Test(arguments: try Vector.all(in: .ratchet, op: "sender-key-encrypt"))
    func `a message of a group`(_ vector: Vector) throws {
        let number = UInt32(try vector.inputs.integer("iteration"))
        let walk = KeyChain(key: held(try vector.inputs.bytes("chain_key_0"))).walk(to: number + 1)
        let (nonce, text) = (try vector.inputs.bytes("nonce"), try vector.inputs.bytes("plaintext"))
        let box = ChaChaPoly.seal(text.span, nonce: nonce, key: walk.lastKey.bytes, additionalData: [])
        #expect(nonce + box == (try vector.expected.bytes("box")))
    }
}
