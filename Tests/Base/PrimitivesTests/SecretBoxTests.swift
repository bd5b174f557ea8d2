import Primitives
import SecureMemory
import Testing
import VectorKit

@Suite struct SecretBoxTests {
    @Test(arguments: try Vector.all(in: .secretBox)) func `seals and opens as NaCl`(_ vector: Vector) throws {
        let key = try vector.inputs.bytes("key")
        let nonce = try vector.inputs.bytes("nonce")
        let plaintext = try vector.inputs.bytes("plaintext")
        let box = try vector.expected.bytes("box")
        #expect(SecretBox.seal(plaintext.span, nonce: nonce, key: key.span) == box)
        #expect(try open(box, nonce, key) == plaintext)
    }

    @Test(arguments: try Vector.all(in: .threemaClient, op: "secretbox-detached"))
    func `the tag stands first`(_ vector: Vector) throws {
        let plaintext = try vector.inputs.bytes("plaintext")
        let key = try vector.inputs.bytes("key")
        let box = SecretBox.seal(plaintext.span, nonce: try vector.inputs.bytes("nonce"), key: key.span)
        #expect(try box == vector.expected.bytes("tag") + vector.expected.bytes("ciphertext"))
    }

    @Test(arguments: try Vector.positive(in: .safeEncrypt).filter { $0.expected.has("blob_hex") })
    func `Safe backups`(_ vector: Vector) throws {
        let masterKey = try vector.inputs.bytes("master_key")
        let key = Array(masterKey.suffix(32))
        let nonce = try vector.inputs.bytes("nonce")
        let member = try vector.inputs.bytes("gzip_hex")
        let blob = try vector.expected.bytes("blob_hex")
        #expect(nonce + SecretBox.seal(member.span, nonce: nonce, key: key.span) == blob)
        #expect(SecretBox.sealWithNonce(member.span, nonce: nonce, key: key.span) == blob)
        #expect(try open(Array(blob.dropFirst(24)), nonce, key) == member)
    }

    @Test func `every bit of box, nonce and key counts`() throws {
        let key = [UInt8](repeating: 1, count: 32)
        let nonce = [UInt8](repeating: 2, count: 24)
        let box = SecretBox.seal([UInt8]([1, 2, 3, 4, 5]).span, nonce: nonce, key: key.span)
        #expect(try open(box, nonce, key) == [1, 2, 3, 4, 5])
        for bit in 0..<8 * (box.count + nonce.count + key.count) {
            var parts = box + nonce + key
            parts[bit / 8] ^= 1 << UInt8(bit % 8)
            let flipped = parts
            #expect(throws: AuthenticationError.notAuthentic, "\(bit)") {
                try open(
                    Array(flipped.prefix(box.count)), Array(flipped.dropFirst(box.count).prefix(24)),
                    Array(flipped.suffix(32)))
            }
        }
    }

    @Test func `every truncation is refused, and what is longer`() {
        let key = [UInt8](repeating: 1, count: 32)
        let nonce = [UInt8](repeating: 2, count: 24)
        let box = SecretBox.seal([UInt8]([1, 2, 3, 4, 5]).span, nonce: nonce, key: key.span)
        for count in box.indices {
            #expect(throws: AuthenticationError.notAuthentic) { try open(Array(box.prefix(count)), nonce, key) }
        }
        #expect(throws: AuthenticationError.notAuthentic) { try open(box + [0], nonce, key) }
    }

    @Test func `lengths are NaCl's, and others end the process`() async {
        #expect([SecretBox.keyCount, SecretBox.nonceCount, SecretBox.tagCount] == [32, 24, 16])
        await #expect(processExitsWith: .failure) {
            let key = [UInt8](repeating: 1, count: 31)
            _ = SecretBox.seal([UInt8]([1]).span, nonce: [UInt8](repeating: 2, count: 24), key: key.span)
        }
        await #expect(processExitsWith: .failure) {
            let key = [UInt8](repeating: 1, count: 32)
            _ = try SecretBox.open(
                [UInt8](repeating: 0, count: 20).span, nonce: [UInt8](repeating: 2, count: 23), key: key.span)
        }
    }

    private func open(_ box: [UInt8], _ nonce: [UInt8], _ key: [UInt8]) throws -> [UInt8] {
        try SecretBox.open(box.span, nonce: nonce, key: key.span).copied
    }
}
