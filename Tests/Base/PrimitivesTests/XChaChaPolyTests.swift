import Primitives
import SecureMemory
import Testing
import VectorKit

@Suite struct XChaChaPolyTests {
    @Test(arguments: try Vector.all(in: .xchachaPoly)) func `seals and opens as the draft says`(_ vector: Vector) throws
    {
        let key = try vector.inputs.bytes("key")
        let nonce = try vector.inputs.bytes("nonce")
        let additionalData = try vector.inputs.bytes("additional_data")
        let plaintext = try vector.inputs.bytes("plaintext")
        let sealed = try vector.expected.bytes("sealed")
        #expect(seal(plaintext, nonce, key, additionalData) == sealed)
        #expect(try open(sealed, nonce, key, additionalData) == plaintext)
    }

    @Test func `every bit of ciphertext, nonce, key and additional data counts`() throws {
        let key = [UInt8](repeating: 1, count: 32)
        let nonce = [UInt8](repeating: 2, count: 24)
        let additionalData = Array("record".utf8)
        let sealed = seal([1, 2, 3, 4, 5], nonce, key, additionalData)
        #expect(try open(sealed, nonce, key, additionalData) == [1, 2, 3, 4, 5])
        let parts = [sealed, nonce, key, additionalData]
        for part in parts.indices {
            for bit in 0..<8 * parts[part].count {
                var flipped = parts
                flipped[part][bit / 8] ^= 1 << UInt8(bit % 8)
                let altered = flipped
                #expect(throws: AuthenticationError.notAuthentic, "\(part), \(bit)") {
                    try open(altered[0], altered[1], altered[2], altered[3])
                }
            }
        }
    }

    @Test func `every truncation is refused, and what is longer`() {
        let key = [UInt8](repeating: 1, count: 32)
        let nonce = [UInt8](repeating: 2, count: 24)
        let sealed = seal([1, 2, 3, 4, 5], nonce, key, [6, 7])
        for count in sealed.indices {
            #expect(throws: AuthenticationError.notAuthentic) {
                try open(Array(sealed.prefix(count)), nonce, key, [6, 7])
            }
        }
        #expect(throws: AuthenticationError.notAuthentic) { try open(sealed + [0], nonce, key, [6, 7]) }
        for additionalData in [[], [6], [6, 7, 0], [7, 6]] as [[UInt8]] {
            #expect(throws: AuthenticationError.notAuthentic) { try open(sealed, nonce, key, additionalData) }
        }
    }

    @Test func `lengths are the draft's, and others end the process`() async {
        #expect([XChaChaPoly.keyCount, XChaChaPoly.nonceCount, XChaChaPoly.tagCount] == [32, 24, 16])
        await #expect(processExitsWith: .failure) {
            let nonce = [UInt8](repeating: 2, count: 12)
            _ = XChaChaPoly.seal([UInt8]([1]).span, nonce: nonce, key: Random.secret(32), additionalData: [])
        }
        await #expect(processExitsWith: .failure) {
            let nonce = [UInt8](repeating: 2, count: 24)
            _ = XChaChaPoly.seal([UInt8]([1]).span, nonce: nonce, key: Random.secret(31), additionalData: [])
        }
    }

    private func seal(_ plaintext: [UInt8], _ nonce: [UInt8], _ key: [UInt8], _ additionalData: [UInt8]) -> [UInt8] {
        XChaChaPoly.seal(plaintext.span, nonce: nonce, key: SecureBytes(copying: key), additionalData: additionalData)
    }

    private func open(
        _ sealed: [UInt8], _ nonce: [UInt8], _ key: [UInt8], _ additionalData: [UInt8]
    ) throws -> [UInt8] {
        try XChaChaPoly.open(sealed.span, nonce: nonce, key: SecureBytes(copying: key), additionalData: additionalData)
            .copied
    }
}
