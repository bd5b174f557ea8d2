import Primitives
import Testing
import VectorKit

@Suite struct X25519Tests {
    @Test(arguments: try Vector.all(in: .x25519)) func `public key`(_ vector: Vector) throws {
        let privateKey = try vector.inputs.bytes("private_key")
        #expect(X25519.publicKey(of: privateKey.span).hex == (try vector.expected.string("public_key")))
    }

    @Test(arguments: try Vector.all(in: .keypair)) func `key pair of an identity`(_ vector: Vector) throws {
        let clientKey = try vector.inputs.bytes("client_key")
        #expect(X25519.publicKey(of: clientKey.span).hex == (try vector.expected.string("public_key")))
    }

    @Test(arguments: try Vector.all(in: .threemaClient, op: "derive-public-key"))
    func `public key of the apps`(_ vector: Vector) throws {
        let privateKey = try vector.inputs.bytes("secretKey")
        #expect(X25519.publicKey(of: privateKey.span).hex == (try vector.expected.string("publicKey")))
    }

    @Test(arguments: [0, 31, 33, 64]) func `a key of another length ends the process`(_ count: Int) async {
        await #expect(processExitsWith: .failure) { [count] in
            let privateKey = [UInt8](repeating: 1, count: count)
            _ = X25519.publicKey(of: privateKey.span)
        }
    }
}
