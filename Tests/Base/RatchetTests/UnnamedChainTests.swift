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

    /// A chain with a name.
    private static func named(_ chain: Chain, generation: UInt32, number: Int) -> ChainDistribution {
        ChainDistribution(
            chain: ChainID([UInt8](repeating: 9, count: 16))!, generation: generation, number: UInt32(number),
            key: chain.key(number))
    }

    private static func stored(_ person: Person) throws {
        let record = person.group.record()
        person.group = try GroupSession(decoding: record.span, limits: groupLimits)
        #expect(person.group.record() == record)
    }

    @Test(arguments: [FormerChains.limited, .closed, .unnamed])
    func `a chain with a name closes the others, as its caller says, and their skipped keys stay`(
        _ former: FormerChains
    ) throws {
        let person = try Self.person()
        for value in 1...2 as ClosedRange<UInt8> { _ = try Self.give(Chain(value), 0, person) }
        try Self.receive(Chain(1), 1, person)
        // The generations of chains without names are this side's.
        let distribution = Self.named(Chain(9), generation: former == .unnamed ? 0 : 2, number: 0)
        #expect(try person.group.accept(distribution, from: Self.sender, at: start, former: former) == .stored)
        #expect(person.group.chains(of: Self.sender).count == (former == .limited ? 3 : 2))
        #expect(
            person.group.storedCount == 1
                && person.group.chains(of: Self.sender).last?.generation == distribution.generation)
        #expect(Self.openChains(person) == (former == .limited ? 3 : 1))
        try Self.stored(person)
        try Self.receive(Chain(1), 0, person)
        try Self.stored(person)
        for number in 0...1 {
            #expect(throws: GroupError.unknownChain) { try Self.receive(Chain(1), number, person) }
        }
    }

    @Test(arguments: [0, 3, 5, 6, 105, 106, 140])
    func `a chain that gets a name goes on where it stands`(_ number: Int) throws {
        let person = try Self.person()
        let chain = Chain(1)
        _ = try Self.give(chain, 0, person)
        for received in [1, 4] { try Self.receive(chain, received, person) }
        let distribution = Self.named(chain, generation: 0, number: number)
        #expect(try person.group.accept(distribution, from: Self.sender, at: start, former: .unnamed) == .stored)
        #expect(person.group.chains(of: Self.sender).count == 1)
        #expect(person.group.chains(of: Self.sender)[0].next == (number <= 105 ? 5 : UInt32(number)))
        try Self.stored(person)
        for again in [1, 4] { #expect(throws: GroupError.unknownChain) { try Self.receive(chain, again, person) } }
        for late in [0, 2, 3, max(number, 5)] {
            try Self.receive(chain, late, person)
            try Self.stored(person)
            #expect(throws: GroupError.unknownChain) { try Self.receive(chain, late, person) }
        }
    }

    @Test(arguments: [false, true], [0, 2, 5])
    func `a closed chain that is given again goes on where it stood`(isNamed: Bool, number: Int) throws {
        let person = try Self.person()
        let chains = (1...4).map { Chain($0) }
        _ = try Self.give(chains[0], 0, person)
        for received in [1, 4] { try Self.receive(chains[0], received, person) }
        for chain in chains.dropFirst() { _ = try Self.give(chain, 0, person) }
        #expect(throws: GroupError.unknownChain) { try Self.receive(chains[0], 5, person) }
        try Self.stored(person)
        if isNamed {
            let distribution = Self.named(chains[0], generation: 0, number: number)
            #expect(try person.group.accept(distribution, from: Self.sender, at: start, former: .unnamed) == .stored)
        } else {
            #expect(try Self.give(chains[0], number, person) == .stored)
        }
        try Self.stored(person)
        for again in [1, 4] {
            #expect(throws: GroupError.unknownChain) { try Self.receive(chains[0], again, person) }
        }
        for late in [0, 2, 3, 5] {
            try Self.receive(chains[0], late, person)
            #expect(throws: GroupError.unknownChain) { try Self.receive(chains[0], late, person) }
        }
    }

    @Test func `a chain that was closed by its age goes on where it stood`() throws {
        let person = try Self.person()
        _ = try Self.give(Chain(1), 0, person)
        try Self.receive(Chain(1), 0, person)
        _ = try Self.give(Chain(2), 0, person)
        person.group.expire(at: start + groupLimits.maxAge)
        #expect(Self.openChains(person) == 1)
        try Self.stored(person)
        #expect(try Self.give(Chain(1), 0, person) == .stored)
        #expect(throws: GroupError.unknownChain) { try Self.receive(Chain(1), 0, person) }
        try Self.receive(Chain(1), 1, person)
    }

    /// From its first position on, the last one is too far to be compared at once.
    @Test func `a chain that was closed twice goes on where it stood last`() throws {
        let person = try Self.person()
        let chain = Chain(1)
        for (round, number) in [9_000, 18_000].enumerated() {
            _ = try Self.give(chain, number - 9_000, person)
            #expect(try Self.give(chain, number, person) == .stored)
            try Self.receive(chain, number, person)
            for other in 2...4 { _ = try Self.give(Chain(UInt8(10 * round + other)), 0, person) }
            #expect(throws: GroupError.self) { try Self.receive(chain, number + 1, person) }
        }
        #expect(try Self.give(chain, 0, person) == .stored)
        for number in [0, 9_000, 18_000] {
            #expect(throws: GroupError.self) { try Self.receive(chain, number, person) }
        }
        try Self.receive(chain, 18_001, person)
    }

    @Test func `500 closed chains are known, and who gives most loses its own`() throws {
        let person = try Self.person()
        func give(_ value: Int, _ name: String) throws {
            let key = SHA256.hash(Array("\(name)\(value)".utf8).span)
            _ = try person.group.accept(
                unnamed: HeldKey(SecureBytes(copying: key.span)), number: 0, from: member(name), at: start)
        }
        for value in 0..<5 { try give(value, "c") }
        for value in 0..<600 { try give(value, "b") }
        let state = person.group.state
        #expect(state.closed[member("b")]?.count == 498 && state.closed[member("c")]?.count == 2)
        try Self.stored(person)
        let record = person.group.record()
        #expect(record.count < GroupSession.maxRecordCount(groupLimits))
        // Those of a member that is gone are forgotten with its chains.
        _ = try person.group.setMembers([member("a"), member("c")])
        #expect(person.group.state.closed.count == 1)
        try Self.stored(person)
    }

    @Test func `what is no record of closed chains`() throws {
        let person = try Self.person()
        for value in 1...5 { _ = try Self.give(Chain(UInt8(value)), 0, person) }
        let record = person.group.record()
        #expect(record[0] == 2)
        let table = record.count - 2 - 2 * 38
        func refuses(_ changed: [UInt8]) -> Bool {
            do throws(RecordError) {
                _ = try GroupSession(decoding: changed.span, limits: groupLimits)
                return false
            } catch {
                return error == .malformed
            }
        }
        func changed(_ place: Int, _ values: [UInt8]) -> [UInt8] {
            Array(record[..<place] + values + record[(place + values.count)...])
        }
        #expect(!refuses(record))
        #expect(refuses(changed(0, [1])), "the first form has no table")
        #expect(refuses(Array(record[..<table]) + [0xf5, 1]), "501")
        #expect(refuses(changed(table + 2, [9])), "of no member")
        #expect(refuses(changed(table + 2, [1])), "members do not ascend")
        for count in table..<record.count { #expect(refuses(Array(record[..<count]))) }
        // The second form without anything that the first one lacks.
        let plain = try Self.person()
        #expect(plain.group.record()[0] == 1)
        #expect(refuses([2] + plain.group.record()[1...] + [0, 0]))
    }
}
