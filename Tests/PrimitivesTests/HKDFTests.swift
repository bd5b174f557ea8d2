import Primitives
import SecureMemory
import Testing
import VectorKit

@Suite struct HKDFTests {
    @Test(arguments: try Vector.all(in: .hkdfSHA256)) func `derived keys`(_ vector: Vector) throws {
        let secret = try vector.inputs.bytes("secret")
        let salt = try vector.inputs.bytes("salt")
        let info = try vector.inputs.bytes("info")
        let count = try vector.inputs.integer("count")
        let key = HKDFSHA256.deriveKey(from: secret.span, salt: salt.span, info: info.span, count: count).copied
        let expected = try vector.expected.bytes("key")
        #expect(expected.count == count && key == expected)
    }

    @Test func `an empty salt is 32 zero bytes`() {
        let (secret, zeros) = ([UInt8](0..<16), [UInt8](repeating: 0, count: 32))
        let without = HKDFSHA256.deriveKey(from: secret.span, salt: Span(), info: Span(), count: 32).copied
        let with = HKDFSHA256.deriveKey(from: secret.span, salt: zeros.span, info: Span(), count: 32).copied
        #expect(without == with)
    }

    @Test(arguments: [0, 8161]) func `a length that HKDF does not have ends the process`(_ count: Int) async {
        await #expect(processExitsWith: .failure) { [count] in
            _ = HKDFSHA256.deriveKey(from: Span(), salt: Span(), info: Span(), count: count)
        }
    }
}
