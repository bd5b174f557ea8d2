import SecureMemory
import Testing
import VectorKit

/// That the numbers are random no test can show; that they are there, and everywhere, it can.
@Suite struct RandomTests {
    @Test func `every byte is drawn`() {
        // Fewer than 20 values in 64 draws of one byte: less likely than 2^-100.
        for count in [1, 24, 40] {
            let draws = (0..<64).map { _ in Random.bytes(count) }
            let secretDraws = (0..<64).map { _ in Random.secret(count).copied }
            for index in 0..<count {
                #expect(Set(draws.map { $0[index] }).count >= 20)
                #expect(Set(secretDraws.map { $0[index] }).count >= 20)
            }
        }
    }

    @Test func `no two draws are alike`() {
        let draws = (0..<100).map { _ in Random.bytes(16) } + (0..<100).map { _ in Random.secret(16).copied }
        #expect(Set(draws).count == 200)
    }

    @Test func `nothing can be drawn`() {
        #expect(Random.bytes(0) == [])
        #expect(Random.secret(0).copied == [])
    }

    @Test func `numbers stay below their bound and reach every value`() {
        var seen: Set<UInt32> = []
        for _ in 0..<2000 { seen.insert(Random.number(below: 36)) }
        #expect(seen == Set(0..<36))
        #expect(Random.number(below: 1) == 0)
    }
}
