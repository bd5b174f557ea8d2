import Primitives
import SecureMemory
import Testing
import Threema
import ThreemaMessages
import VectorKit

@testable import ThreemaMedia

@Suite struct LegacyImageTests {
    @Test(arguments: try Vector.all(in: .legacyImage))
    func `a blob is sealed byte for byte as another program does it`(_ vector: Vector) throws {
        let sender = try vector.inputs.bytes("private_key")
        let contact = try #require(PublicKey(vector.inputs.bytes("public_key")))
        let nonce = MessageNonce(try vector.inputs.bytes("nonce"))
        let image = try vector.inputs.bytes("image")
        let blob = try seal(image, sender, contact, nonce)
        #expect(blob == (try vector.expected.bytes("blob")))
        let opened = try open(blob, sender, contact, nonce)
        #expect(opened == image)
        let other = MessageNonce([UInt8](repeating: 0, count: 24))
        #expect(throws: AuthenticationError.notAuthentic) { try open(blob, sender, contact, other) }
    }

    private func keys(_ own: [UInt8], _ contact: PublicKey) throws -> ContactKeys {
        try ContactKeys(own: ClientKey(SecureBytes(copying: own.span)), contact: contact)
    }

    private func seal(_ image: [UInt8], _ own: [UInt8], _ contact: PublicKey, _ nonce: MessageNonce) throws -> [UInt8] {
        let keys = try keys(own, contact)
        return LegacyImage.seal(image.span, keys: keys, nonce: nonce)
    }

    private func open(_ blob: [UInt8], _ own: [UInt8], _ contact: PublicKey, _ nonce: MessageNonce) throws -> [UInt8] {
        let keys = try keys(own, contact)
        let message = LegacyImage(blobID: BlobID(Random.bytes(16)), size: UInt32(blob.count), nonce: nonce)
        return try message.open(blob.span, keys: keys).copied
    }
}
