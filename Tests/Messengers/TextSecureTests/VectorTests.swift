import Primitives
import Ratchet
import SecureMemory
import Testing
import VectorKit

@testable import TextSecure

/// The derivations of version 2, by the suite of the room.
@Suite struct VectorTests {
    @Test(arguments: try Vector.all(in: .textSecure, op: "axolotl-initial-root"))
    func `first secret`(_ vector: Vector) throws {
        let inputs = vector.inputs
        let secret = try FirstSecret.initiate(
            .textSecure2, identity: secure(inputs.bytes("alice_identity_private")),
            ephemeral: secure(inputs.bytes("alice_ephemeral_private")),
            with: FirstSecret.ResponderKeys(
                identity: inputs.bytes("bob_identity_public"), prekey: inputs.bytes("bob_prekey_public")))
        let expected = try vector.expected.bytes("root_key") + vector.expected.bytes("chain_key")
        let isEqual = secret.equals(secure(expected))
        #expect(isEqual)
    }

    @Test(arguments: try Vector.all(in: .textSecure, op: "axolotl-chain"))
    func `chains and message keys`(_ vector: Vector) throws {
        let (inputs, expected) = (vector.inputs, vector.expected)
        let (own, other) = (try inputs.bytes("ratchet_private"), try inputs.bytes("their_ratchet_public"))
        let shared = try X25519.sharedSecret(privateKey: own.span, publicKey: other.span)
        let keys = RatchetSuite.textSecure2.rootKeys(root: secure(try inputs.bytes("root_key")), secret: shared).copied
        #expect(keys == (try expected.bytes("new_root_key") + expected.bytes("chain_key")))
        let chain = secure(Array(keys[32...]))
        let walk = HMACSHA256.walkChain(chain, steps: 1, output: 1, next: 2).copied
        #expect(Array(walk[32...]) == (try expected.bytes("next_chain_key")))
        let message = RatchetSuite.textSecure2.messageKey(held(Array(walk[..<32])))
        #expect(
            message.bytes.copied
                == (try expected.bytes("message_cipher_key") + expected.bytes("message_mac_key")))
    }

    @Test(arguments: try Vector.all(in: .textSecure, op: "hkdf-v2"))
    func `HKDF with blocks from 0`(_ vector: Vector) throws {
        let (secret, salt) = (try vector.inputs.bytes("ikm"), try vector.inputs.bytes("salt"))
        let info = try vector.inputs.bytes("info")
        let key = HKDFSHA256.deriveKey(
            from: secret.span, salt: salt.span, info: info.span, count: try vector.inputs.integer("length"),
            firstBlock: RatchetSuite.textSecure2.firstBlock)
        #expect(key.copied == (try vector.expected.bytes("okm")))
    }
}
