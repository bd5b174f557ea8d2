import SecureMemory
import Testing
import VectorKit

@Suite struct SecureBytesTests {
    private struct Refused: Error {}

    @Test func `a fill of exact length gives exactly those bytes`() {
        let secret = SecureBytes(count: 3) { bytes in
            for index in bytes.indices { bytes[index] = UInt8(index + 1) }
        }
        #expect(secret.count == 3)
        #expect(secret.copied == [1, 2, 3])
    }

    @Test func `memory is zero before it is filled`() {
        // Twice: the second allocation often gets the pages that the first one gave back.
        for _ in 0..<2 {
            var before: [UInt8] = []
            let secret = SecureBytes(count: 5000) { bytes in
                before = bytes.indices.map { bytes[$0] }
                for index in bytes.indices { bytes[index] = 0xff }
            }
            #expect(secret.count == 5000)
            #expect(before == [UInt8](repeating: 0, count: 5000))
        }
    }

    /// Holds a secret, and whether its memory was zero before.
    private final class Held {
        let secret: SecureBytes
        let wasZero: Bool

        init(_ life: SecretLife) {
            var all: UInt8 = 0
            secret = SecureBytes(count: 100, life: life) { bytes in
                for index in bytes.indices {
                    all |= bytes[index]
                    bytes[index] = 0xff
                }
            }
            wasZero = all == 0
        }
    }

    /// More at a time than pages are kept: so some are new, and in the second round most were used before.
    @Test(arguments: [SecretLife.long, .brief]) func `so is the memory of many short ones`(_ life: SecretLife) {
        for _ in 0..<2 {
            let held = (0..<200).map { _ in Held(life) }
            let areZero = held.allSatisfy { $0.wasZero }
            #expect(areZero)
        }
    }

    @Test(arguments: [0, 1, 4, 8]) func `a fill by capacity keeps what it used`(_ used: Int) {
        let secret = SecureBytes(capacity: 8) { bytes in
            for index in bytes.indices { bytes[index] = UInt8(index) }
            return used
        }
        #expect(secret.count == used)
        #expect(secret.copied == (0..<used).map(UInt8.init))
    }

    @Test func `a copy is a copy`() {
        var source: [UInt8] = [9, 8, 7]
        let secret = SecureBytes(copying: source.span)
        source[0] = 0
        #expect(secret.copied == [9, 8, 7])
    }

    @Test func `an empty secret is one`() {
        let secret = SecureBytes(copying: [UInt8]().span)
        #expect(secret.count == 0)
        #expect(secret.copied == [])
    }

    @Test func `a failing fill throws its own error`() {
        #expect(throws: Refused.self) {
            _ = try SecureBytes(count: 4) { bytes throws(Refused) in
                bytes[0] = 1
                throw Refused()
            }
        }
        #expect(throws: Refused.self) {
            _ = try SecureBytes(capacity: 4) { (_) throws(Refused) in throw Refused() }
        }
    }

    @Test func `borrowing returns what the body returns and throws what it throws`() {
        let secret = SecureBytes(copying: [UInt8]([1, 2, 3]).span)
        let sum = secret.withBytes { bytes in bytes.indices.reduce(0) { $0 + Int(bytes[$1]) } }
        #expect(sum == 6)
        #expect(throws: Refused.self) {
            try secret.withBytes { (_) throws(Refused) in throw Refused() }
        }
        // A result may be noncopyable, too: this is how one secret is made from another.
        let reversed = secret.withBytes { bytes in
            SecureBytes(count: bytes.count) {
                for index in bytes.indices { $0[index] = bytes[bytes.count - 1 - index] }
            }
        }
        #expect(reversed.copied == [3, 2, 1])
    }

    @Test func `bytes end where their page ends`() {
        // That is what makes an overrun by one byte fatal.
        for count in [1, 32, 4096, 5000] {
            let secret = Random.secret(count)
            let end = secret.address + UInt(count)
            #expect(end.isMultiple(of: 4096))
        }
    }
}
