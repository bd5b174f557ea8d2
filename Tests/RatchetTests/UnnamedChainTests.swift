import Encodings
import Primitives
import SecureMemory
import Testing

@testable import Ratchet

/// Chains that are known by their keys only.
@Suite struct UnnamedChainTests {
    private static let sender = member("b")

    /// A chain of a sender as it walks it.
    private struct Chain {
        let start: [UInt8]

        init(_ value: UInt8) { start = [UInt8](repeating: value, count: 32) }

        /// The chain key at a number.
        func key(_ number: Int) -> HeldKey {
            let walk = HMACSHA256.walkChain(SecureBytes(copying: start.span), steps: number, output: 1, next: 2)
            return HeldKey(SecureBytes(copying: Array(walk.copied[(32 * number)...]).span))
        }

        /// The message key of a number.
        func messageKey(_ number: Int) -> [UInt8] {
            let walk = HMACSHA256.walkChain(SecureBytes(copying: start.span), steps: number + 1, output: 1, next: 2)
            return Array(walk.copied[(32 * number)..<(32 * number + 32)])
        }
    }

    private static func person() throws -> Person { try Person("a", ["a", "b", "c"]) }

    private static func give(_ chain: Chain, _ number: Int, _ person: Person) throws(GroupError) -> DistributionResult {
        try person.group.accept(unnamed: chain.key(number), number: UInt32(number), from: sender, at: start)
    }

    /// Receives a message whose body is that of the key.
    private static func receive(_ chain: Chain, _ number: Int, _ person: Person) throws(GroupError) {
        let key = chain.messageKey(number)
        let opened = try person.group.open(unnamedFrom: sender, number: UInt32(number), at: start) {
            (candidate) throws(AuthenticationError) in
            guard candidate.bytes.copied == key else { throw .notAuthentic }
            return SecureBytes(copying: key.span)
        }
        person.group = opened.next
    }

    private static func openChains(_ person: Person) -> Int {
        person.group.chains(of: sender).filter { $0.next != nil }.count
    }

    @Test func `a message finds its chain, each once, also out of order`() throws {
        let person = try Self.person()
        let chains = [Chain(1), Chain(2), Chain(3)]
        #expect(throws: GroupError.unknownChain) { try Self.receive(chains[0], 0, person) }
        for chain in chains { #expect(try Self.give(chain, 0, person) == .stored) }
        #expect(Self.openChains(person) == 3)
        for number in [4, 0, 2, 1, 3] {
            for chain in chains { try Self.receive(chain, number, person) }
        }
        for number in 0..<5 {
            for chain in chains {
                #expect(throws: GroupError.unknownChain) { try Self.receive(chain, number, person) }
            }
        }
        #expect(throws: GroupError.unknownChain) { try Self.receive(Chain(4), 5, person) }
    }

    @Test func `a fourth chain closes the first one, whose skipped keys stay`() throws {
        let person = try Self.person()
        let chains = (1...4).map { Chain($0) }
        _ = try Self.give(chains[0], 0, person)
        try Self.receive(chains[0], 1, person)
        for chain in chains.dropFirst() { _ = try Self.give(chain, 0, person) }
        #expect(Self.openChains(person) == 3 && person.group.chains(of: Self.sender).count == 4)
        #expect(throws: GroupError.unknownChain) { try Self.receive(chains[0], 2, person) }
        try Self.receive(chains[0], 0, person)
        #expect(person.group.chains(of: Self.sender).count == 3)
        for chain in chains.dropFirst() { try Self.receive(chain, 100, person) }
    }

    @Test func `a message below the position of a chain may be of one that has not arrived`() throws {
        let person = try Self.person()
        _ = try Self.give(Chain(1), 0, person)
        for number in 0..<3 { try Self.receive(Chain(1), number, person) }
        // Apps begin another chain at 0.
        #expect(throws: GroupError.unknownChain) { try Self.receive(Chain(2), 0, person) }
        _ = try Self.give(Chain(2), 0, person)
        try Self.receive(Chain(2), 0, person)
    }

    @Test func `a distribution on an open chain changes nothing`() throws {
        let person = try Self.person()
        let chain = Chain(1)
        _ = try Self.give(chain, 50, person)
        try Self.receive(chain, 60, person)
        let before = person.group.record()
        for number in [0, 50, 60, 61, 62, 100, 161] { #expect(try Self.give(chain, number, person) == .known) }
        #expect(person.group.record() == before)
        // Another key at the number of the position, and the same key at another number.
        #expect(try Self.give(Chain(2), 61, person) == .stored)
        let moved = try person.group.accept(unnamed: chain.key(61), number: 62, from: Self.sender, at: start)
        #expect(moved == .stored)
    }

    @Test func `a distribution too far ahead moves its chain, and nothing opens twice`() throws {
        let person = try Self.person()
        let chain = Chain(1)
        _ = try Self.give(chain, 0, person)
        try Self.receive(chain, 3, person)
        #expect(try Self.give(chain, 205, person) == .stored)
        #expect(Self.openChains(person) == 1 && person.group.chains(of: Self.sender).count == 1)
        // Skipped before, skipped by the step, at the position, and ahead of it.
        let opened = [1, 104, 105, 204, 205, 300]
        for number in opened {
            // The keys from 4 to 104 are gone: messages up to 100 behind the distribution can be read.
            if number == 104 {
                #expect(throws: GroupError.unknownChain) { try Self.receive(chain, number, person) }
            } else {
                try Self.receive(chain, number, person)
            }
        }
        for number in opened {
            #expect(throws: GroupError.unknownChain) { try Self.receive(chain, number, person) }
        }
        #expect(try Self.give(chain, 0, person) == .known)
        #expect(throws: GroupError.unknownChain) { try Self.receive(chain, 205, person) }
    }

    @Test func `positions further apart are of two chains`() throws {
        for (held, given, result) in [
            (0, 100, .known), (0, 101, .stored), (10_000, 0, .known), (10_001, 0, .stored),
        ] as [(Int, Int, DistributionResult)] {
            let person = try Self.person()
            _ = try Self.give(Chain(1), held, person)
            #expect(try Self.give(Chain(1), given, person) == result, "\(held) \(given)")
        }
    }

    @Test func `limits hold`() throws {
        let person = try Self.person()
        _ = try Self.give(Chain(1), 0, person)
        #expect(throws: GroupError.tooManySkipped) { try Self.receive(Chain(1), 101, person) }
        try Self.receive(Chain(1), 100, person)
        #expect(person.group.storedCount == 100)
        func accept(_ key: [UInt8], _ number: UInt32, _ name: String) throws(GroupError) {
            _ = try person.group.accept(
                unnamed: HeldKey(SecureBytes(copying: key.span)), number: number, from: member(name), at: start)
        }
        let key = [UInt8](repeating: 7, count: 32)
        #expect(throws: GroupError.notMember) { try accept(key, 0, "x") }
        #expect(throws: GroupError.notMember) { try accept(key, 0, "a") }
        #expect(throws: GroupError.malformedDistribution) { try accept(Array(key.dropLast()), 0, "b") }
        #expect(throws: GroupError.numberTooHigh) { try accept(key, .max, "b") }
        for (name, number, error) in [
            ("b", UInt32.max, .numberTooHigh), ("x", 0, .notMember), ("c", 0, .unknownChain),
        ] as [(String, UInt32, GroupError)] {
            #expect(throws: error) {
                _ = try person.group.open(unnamedFrom: member(name), number: number, at: start) {
                    (_) throws(AuthenticationError) in throw .notAuthentic
                }
            }
        }
    }

    @Test func `a chain with a name closes or removes the others, as its caller says`() throws {
        for (former, count) in [(.limited, 3), (.closed, 2), (.removed, 1)] as [(FormerChains, Int)] {
            let person = try Self.person()
            for value in 1...2 as ClosedRange<UInt8> { _ = try Self.give(Chain(value), 0, person) }
            try Self.receive(Chain(1), 1, person)
            let distribution = ChainDistribution(
                chain: ChainID([UInt8](repeating: 9, count: 16))!, generation: former == .removed ? 0 : 2, number: 0,
                key: Chain(9).key(0))
            #expect(try person.group.accept(distribution, from: Self.sender, at: start, former: former) == .stored)
            #expect(person.group.chains(of: Self.sender).count == count)
            #expect(person.group.storedCount == (former == .removed ? 0 : 1))
            #expect(Self.openChains(person) == (former == .limited ? 3 : 1))
            let record = person.group.record()
            #expect(try GroupSession(decoding: record.span, limits: groupLimits).record() == record)
        }
    }
}
