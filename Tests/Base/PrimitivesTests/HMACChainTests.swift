import Primitives
import SecureMemory
import Testing
import VectorKit

@Suite struct HMACChainTests {
    /// Computed step by step with the HMAC that RFC 4231's vectors test.
    @Test(arguments: [0, 1, 2, 3, 70]) func `a chain is HMAC after HMAC`(_ steps: Int) {
        var chain = [UInt8](0..<32)
        let start = SecureBytes(copying: chain.span)
        var expected: [UInt8] = []
        let (output, next): ([UInt8], [UInt8]) = ([1], [2])
        for _ in 0..<steps {
            expected += HMACSHA256.authenticate(output.span, key: chain.span)
            chain = HMACSHA256.authenticate(next.span, key: chain.span)
        }
        #expect(HMACSHA256.walkChain(start, steps: steps, output: 1, next: 2).copied == expected + chain)
    }

    @Test func `the bytes choose the keys`() {
        let start = SecureBytes(copying: [UInt8](repeating: 7, count: 32).span)
        let keys = HMACSHA256.walkChain(start, steps: 1, output: 1, next: 2).copied
        let others = HMACSHA256.walkChain(start, steps: 1, output: 2, next: 1).copied
        #expect(keys[..<32] == others[32...] && keys[32...] == others[..<32] && keys[..<32] != keys[32...])
    }
}
