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

    @Test(arguments: try Vector.all(in: .x25519Shared)) func `shared secret`(_ vector: Vector) throws {
        let privateKey = try vector.inputs.bytes("private_key")
        let publicKey = try vector.inputs.bytes("public_key")
        let shared = try X25519.sharedSecret(privateKey: privateKey.span, publicKey: publicKey.span).copied
        #expect(shared.hex == (try vector.expected.string("shared_secret")))
    }

    /// A shared key with a point of low order is zero, which libsodium refuses.
    @Test func `points of low order`() throws {
        let zeros = [UInt8](repeating: 0, count: 31)
        let ones = [UInt8](repeating: 0xff, count: 30)
        let eight = [
            "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
            "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
        ]
        let points =
            [[0] + zeros, [1] + zeros] + (0xec...0xee).map { [$0] + ones + [0x7f] }
            + eight.compactMap { [UInt8](hex: $0) }
        #expect(points.count == 7)
        for point in points {
            for highest: UInt8 in [0, 0x80] {
                let key = Array(point.dropLast()) + [point[31] | highest]
                #expect(X25519.isLowOrder(key) && !Self.hasSharedKey(with: key), "\(key.hex)")
                let neighbour = [key[0] ^ 4] + Array(key.dropFirst())
                #expect(!X25519.isLowOrder(neighbour) && Self.hasSharedKey(with: neighbour), "\(neighbour.hex)")
            }
        }
    }

    private static func hasSharedKey(with publicKey: [UInt8]) -> Bool {
        let privateKey = [UInt8](repeating: 7, count: 32)
        do {
            _ = try X25519.sharedSecret(privateKey: privateKey.span, publicKey: publicKey.span)
        } catch {
            return false
        }
        do {
            _ = try Box.sharedKey(privateKey: privateKey.span, publicKey: publicKey.span)
            return true
        } catch {
            Issue.record("a shared secret without a key of a box")
            return false
        }
    }

    @Test(arguments: [0, 31, 33, 64]) func `a key of another length ends the process`(_ count: Int) async {
        await #expect(processExitsWith: .failure) { [count] in
            let privateKey = [UInt8](repeating: 1, count: count)
            _ = X25519.publicKey(of: privateKey.span)
        }
    }
}
