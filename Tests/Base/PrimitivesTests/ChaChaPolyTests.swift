import Primitives
import SecureMemory
import Testing
import VectorKit

@Suite struct ChaChaPolyTests {
    @Test(arguments: try Vector.all(in: .chachaPoly)) func `seals and opens as RFC 8439 says`(_ vector: Vector) throws {
        let key = SecureBytes(copying: try vector.inputs.bytes("key"))
        let nonce = try vector.inputs.bytes("nonce")
        let data = try vector.inputs.bytes("additional_data")
        let plaintext = try vector.inputs.bytes("plaintext")
        let expected = try vector.expected.bytes("sealed")
        let sealed = ChaChaPoly.seal(plaintext.span, nonce: nonce, key: key, additionalData: data)
        #expect(sealed == expected)
        let opened = try ChaChaPoly.open(sealed.span, nonce: nonce, key: key, additionalData: data).copied
        #expect(opened == plaintext)
        #expect(Self.sealedInPlace(plaintext, nonce, key, data) == expected)
        #expect(try Self.openedInPlace(expected, nonce, key, data) == plaintext)
    }

    @Test func `changed bytes open to nothing, also in memory of the caller`() throws {
        let key = SecureBytes(copying: [UInt8](repeating: 1, count: 32))
        let nonce = [UInt8](repeating: 2, count: 12)
        let sealed = Self.sealedInPlace([1, 2, 3], nonce, key, [])
        for bit in 0..<8 * sealed.count {
            var changed = sealed
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            var plaintext: [UInt8] = [9, 9, 9]
            var bytes = plaintext.mutableSpan
            var isRefused = false
            do throws(AuthenticationError) {
                try ChaChaPoly.open(changed.span, nonce: nonce, key: key, additionalData: [], into: &bytes)
            } catch {
                isRefused = true
            }
            #expect(isRefused && (plaintext == [0, 0, 0] || plaintext == [9, 9, 9]))
        }
    }

    private static func sealedInPlace(
        _ plaintext: [UInt8], _ nonce: [UInt8], _ key: borrowing SecureBytes, _ data: [UInt8]
    ) -> [UInt8] {
        var sealed = [UInt8](repeating: 9, count: plaintext.count + 16)
        var bytes = sealed.mutableSpan
        ChaChaPoly.seal(plaintext.span, nonce: nonce, key: key, additionalData: data, into: &bytes)
        return sealed
    }

    private static func openedInPlace(
        _ sealed: [UInt8], _ nonce: [UInt8], _ key: borrowing SecureBytes, _ data: [UInt8]
    ) throws -> [UInt8] {
        var plaintext = [UInt8](repeating: 9, count: sealed.count - 16)
        var bytes = plaintext.mutableSpan
        try ChaChaPoly.open(sealed.span, nonce: nonce, key: key, additionalData: data, into: &bytes)
        return plaintext
    }
}
