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

    /// Published with the tests of another implementation of TextSecure's sessions.
    @Test func `blocks that are numbered from 0`() {
        let (secret, salt) = ([UInt8](repeating: 11, count: 22), [UInt8](0...12))
        let info = [UInt8](0xf0...0xf9)
        let key = HKDFSHA256.deriveKey(from: secret.span, salt: salt.span, info: info.span, count: 64, firstBlock: 0)
        #expect(
            key.copied.hex == "6ec2556d5d7b1d81dee4222ad7483695ddc98f4f5fabc0e0205dc2ef8752d41e"
                + "04e2e21101c68ff09394b8ad0bdcb9609cd4ee82ac13199b4aa9fda899daebec")
    }

    @Test(arguments: [0, 8161]) func `a length that HKDF does not have ends the process`(_ count: Int) async {
        await #expect(processExitsWith: .failure) { [count] in
            _ = HKDFSHA256.deriveKey(from: Span(), salt: Span(), info: Span(), count: count)
        }
    }
}
