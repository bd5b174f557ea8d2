import Primitives
import SecureMemory
import Testing
import VectorKit

@Suite struct BLAKE2bDerivationTests {
    @Test(arguments: try Vector.all(in: .threemaClient, op: "blake2b-kdf"))
    func `derived keys of the apps`(_ vector: Vector) throws {
        let key = try vector.inputs.bytes("key")
        let salt = try vector.inputs.bytes("salt")
        let personal = try vector.inputs.bytes("personal")
        #expect(derived(key, salt, personal).hex == (try vector.expected.string("derived")))
    }

    @Test func `a key that is derived several times is the same as by single steps`() {
        let first = [UInt8](0..<32)
        var single = SecureBytes(copying: first.span)
        for times in 1...5 {
            single = BLAKE2b.deriveKey(from: single, salt: "kdf-ck", personal: "3ma-e2e")
            let repeated = BLAKE2b.deriveKey(
                from: SecureBytes(copying: first.span), times: times, salt: "kdf-ck", personal: "3ma-e2e")
            let (one, other) = (single.copied, repeated.copied)
            #expect(one == other)
        }
    }

    @Test(arguments: try Vector.all(in: .threemaClient, op: "blake2b-512"))
    func `BLAKE2b-512`(_ vector: Vector) throws {
        let key = vector.inputs.has("key") ? try vector.inputs.bytes("key") : []
        let data = try vector.inputs.bytes("data")
        #expect(hashed(data, key).hex == (try vector.expected.string("digest")))
    }

    @Test(arguments: try Vector.all(in: .threemaClient, op: "device-group-keys"))
    func `keys of a device group`(_ vector: Vector) throws {
        let key = try vector.inputs.bytes("dgk")
        let personal = try vector.inputs.utf8("personal")
        let salts = try vector.inputs.object("salts")
        for name in salts.names {
            let salt = try salts.utf8(name)
            #expect(derived(key, salt, personal).hex == (try vector.expected.string(name)), "\(name)")
        }
    }

    @Test(arguments: try Vector.all(in: .threemaClient, op: "rendezvous-box"))
    func `boxes of the rendezvous protocol`(_ vector: Vector) throws {
        let key = derived(
            try vector.inputs.bytes("authenticationKey"), try vector.inputs.utf8("salt"),
            try vector.inputs.utf8("personal"))
        let path = try UInt8(vector.inputs.integer("pathId"))
        let sequence = try UInt8(vector.inputs.integer("sequenceNumber"))
        let nonce: [UInt8] = [path, 0, 0, 0, sequence, 0, 0, 0, 0, 0, 0, 0]
        let plaintext = try vector.inputs.bytes("plaintext")
        let sealed = ChaChaPoly.seal(
            plaintext.span, nonce: nonce, key: SecureBytes(copying: key.span), additionalData: [])
        #expect(sealed.hex == (try vector.expected.string("ciphertext")))
    }

    @Test(arguments: try Vector.all(in: .threemaClient, op: "rendezvous-transport"))
    func `keys of the rendezvous protocol`(_ vector: Vector) throws {
        let privateKey = try vector.inputs.bytes("localSecret")
        let publicKey = try vector.inputs.bytes("remotePublic")
        let ephemeral = try Box.sharedKey(privateKey: privateKey.span, publicKey: publicKey.span).copied
        #expect(ephemeral.hex == (try vector.expected.string("etk")))
        let personal = Array("3ma-rendezvous".utf8)
        let transport = derived(
            try vector.inputs.bytes("authenticationKey") + ephemeral, Array("st".utf8), personal)
        #expect(transport.hex == (try vector.expected.string("stk")))
        for (salt, name) in [("ridt", "ridtk"), ("rrdt", "rrdtk")] {
            #expect(derived(transport, Array(salt.utf8), personal).hex == (try vector.expected.string(name)))
        }
    }

    private func derived(_ key: [UInt8], _ salt: [UInt8], _ personal: [UInt8]) -> [UInt8] {
        BLAKE2b.deriveKey(from: SecureBytes(copying: key.span), salt: salt, personal: personal).copied
    }

    private func hashed(_ data: [UInt8], _ key: [UInt8]) -> [UInt8] {
        BLAKE2b.hash512(data.span, key: key.span).copied
    }
}
