import Encodings
import Primitives
import RatchetModel
import SecureMemory
import Testing

@testable import Ratchet

let groupLimits = GroupLimits(
    maxMembers: 100, maxSkipped: 100, maxStored: 1000, maxAge: .seconds(7 * 24 * 3600), maxSent: 500,
    maxChainAge: .seconds(7 * 24 * 3600), openChains: 3)

private let noNonce = [UInt8](repeating: 0, count: 12)

func member(_ name: String) -> GroupMember { GroupMember(Array(name.utf8))! }

/// A message of a group as a test sends it. The body is under ChaCha20-Poly1305 with a nonce of zeros.
struct GroupLetter {
    let sender: GroupMember
    let chain: ChainID
    let number: UInt32
    var body: [UInt8]
}

extension GroupSession {
    mutating func send(_ text: [UInt8], at now: Timestamp = start) throws(GroupError) -> GroupLetter {
        let keys = try seal(at: now)
        let body = ChaChaPoly.seal(
            text.span, nonce: noNonce, key: keys.messageKey.bytes, additionalData: keys.chain.bytes)
        return GroupLetter(sender: own, chain: keys.chain, number: keys.number, body: body)
    }

    mutating func receive(_ letter: GroupLetter, at now: Timestamp = start) throws(GroupError) -> [UInt8] {
        let opened = try open(from: letter.sender, chain: letter.chain, number: letter.number, at: now) {
            (key) throws(AuthenticationError) in
            try ChaChaPoly.open(
                letter.body.span, nonce: noNonce, key: key.bytes, additionalData: letter.chain.bytes)
        }
        let text = opened.plaintext.revealBytes()
        self = opened.next
        return text
    }

    borrowing func record() -> [UInt8] { encoded().revealBytes() }
}

/// A member with its session, which may be in an array.
final class Person {
    let name: GroupMember
    var group: GroupSession

    init(_ name: String, _ members: [String], _ limits: GroupLimits = groupLimits) throws {
        self.name = member(name)
        group = try GroupSession(self.name, members: members.map(member), limits: limits)
    }

    static func group(_ names: [String], _ limits: GroupLimits = groupLimits) throws -> [Person] {
        let people = try names.map { try Person($0, names, limits) }
        for person in people { try person.distribute(to: people) }
        return people
    }

    /// Gives the own chain to all who need it.
    func distribute(to people: [Person], at now: Timestamp = start) throws {
        for name in group.pending(at: now) {
            let distribution = try group.distribution(for: name, at: now)
            guard let other = people.first(where: { $0.name == name }) else { continue }
            _ = try other.group.accept(distribution, from: self.name, at: now)
        }
    }
}

@Suite struct GroupTests {
    @Test func `everybody reads everybody`() throws {
        let people = try Person.group(["a", "b", "c"])
        for number in 0..<5 as Range<UInt8> {
            for sender in people {
                let letter = try sender.group.send([number])
                for other in people where other !== sender { #expect(try other.group.receive(letter) == [number]) }
            }
        }
    }

    @Test func `nothing is sealed before everybody has the chain`() throws {
        let people = try ["a", "b", "c"].map { try Person($0, ["a", "b", "c"]) }
        #expect(throws: GroupError.rekeyPending([member("b"), member("c")])) { _ = try people[0].group.send([1]) }
        let first = try people[0].group.distribution(for: member("b"), at: start)
        #expect(throws: GroupError.rekeyPending([member("c")])) { _ = try people[0].group.send([1]) }
        let second = try people[0].group.distribution(for: member("c"), at: start)
        #expect(first.chain == second.chain && first.number == 0 && second.generation == 0)
        #expect(first.key.bytes.copied == second.key.bytes.copied)
        _ = try people[0].group.send([1])
        #expect(throws: GroupError.notMember) { _ = try people[0].group.distribution(for: member("x"), at: start) }
        #expect(throws: GroupError.notMember) { _ = try people[0].group.distribution(for: member("a"), at: start) }
    }

    /// With a copy of all that a removed member had.
    @Test func `who was removed opens nothing sent later`() throws {
        let people = try Person.group(["a", "b", "c", "d"])
        for sender in people {
            let letter = try sender.group.send([0])
            for other in people where other !== sender { _ = try other.group.receive(letter) }
        }
        let copy = people[3].group.record()
        let rest = Array(people[..<3])
        for person in rest {
            #expect(try person.group.setMembers(["a", "b", "c"].map(member)).removed == [member("d")])
            #expect(person.group.pending(at: start).count == 2)
        }
        for person in rest { try person.distribute(to: rest) }
        people[3].group = try GroupSession(decoding: copy.span, limits: groupLimits)
        for number in 0..<100 as Range<UInt8> {
            for sender in rest {
                let letter = try sender.group.send([number])
                #expect(throws: GroupError.unknownChain) { _ = try people[3].group.receive(letter) }
                for other in rest where other !== sender { #expect(try other.group.receive(letter) == [number]) }
            }
        }
        #expect(throws: GroupError.notMember) { _ = try people[0].group.receive(try people[3].group.send([1])) }
    }

    @Test func `who joins reads from then on`() throws {
        let people = try Person.group(["a", "b"])
        let before = try people[0].group.send([0])
        _ = try people[1].group.receive(before)
        let new = try Person("c", ["a", "b", "c"])
        for person in people {
            #expect(try person.group.setMembers(["a", "b", "c"].map(member)).added == [member("c")])
            #expect(person.group.pending(at: start) == [member("c")])
            try person.distribute(to: [new])
        }
        #expect(throws: GroupError.duplicate) { _ = try new.group.receive(before) }
        let after = try people[0].group.send([1])
        #expect(after.chain == before.chain)
        #expect(try new.group.receive(after) == [1])
        // Removed and added again: only the new chain opens.
        for person in people { _ = try person.group.setMembers(["a", "b"].map(member)) }
        for person in people { try person.distribute(to: people) }
        let between = try people[0].group.send([2])
        for person in people { _ = try person.group.setMembers(["a", "b", "c"].map(member)) }
        for person in people { try person.distribute(to: people + [new]) }
        let later = try people[0].group.send([3])
        #expect(throws: GroupError.duplicate) { _ = try new.group.receive(between) }
        #expect(try new.group.receive(later) == [3])
    }

    @Test func `a distribution never goes back`() throws {
        let people = try Person.group(["a", "b"])
        let first = try people[0].group.distribution(for: member("b"), at: start)
        let letters = [try people[0].group.send([0]), try people[0].group.send([1])]
        _ = try people[1].group.receive(letters[1])
        let before = people[1].group.record()
        #expect(try people[1].group.accept(first, from: member("a"), at: start) == .known)
        #expect(people[1].group.record() == before)
        _ = try people[1].group.receive(letters[0])
        #expect(throws: GroupError.duplicate) { _ = try people[1].group.receive(letters[1]) }
        let bad = [
            (
                ChainDistribution(
                    chain: ChainID([UInt8](repeating: 1, count: 16))!, generation: 0, number: 0, key: first.key),
                GroupError.oldGeneration
            ),
            (
                ChainDistribution(
                    chain: ChainID([UInt8](repeating: 1, count: 16))!, generation: 1, number: .max, key: first.key),
                .numberTooHigh
            ),
            (
                ChainDistribution(
                    chain: ChainID([UInt8](repeating: 1, count: 16))!, generation: 1, number: 0, key: held([1])),
                .malformedDistribution
            ),
        ]
        for (distribution, error) in bad {
            #expect(throws: error) { _ = try people[1].group.accept(distribution, from: member("a"), at: start) }
        }
        #expect(throws: GroupError.notMember) { _ = try people[1].group.accept(first, from: member("x"), at: start) }
    }

    /// Chains may overtake each other, and messages of a former one may come after its successor.
    @Test func `former chains stay open within the limits`() throws {
        let people = try Person.group(["a", "b"])
        var letters = [try people[0].group.send([0])]
        var distributions: [ChainDistribution] = []
        for number in 1..<4 as Range<UInt8> {
            people[0].group.endChain()
            distributions.append(try people[0].group.distribution(for: member("b"), at: start))
            letters.append(try people[0].group.send([number]))
        }
        #expect(distributions.map(\.generation) == [1, 2, 3])
        for place in [1, 0] {
            #expect(try people[1].group.accept(distributions[place], from: member("a"), at: start) == .stored)
        }
        for place in [0, 1, 2] { #expect(try people[1].group.receive(letters[place]) == [UInt8(place)]) }
        #expect(throws: GroupError.unknownChain) { _ = try people[1].group.receive(letters[3]) }
        #expect(try people[1].group.accept(distributions[2], from: member("a"), at: start) == .stored)
        #expect(try people[1].group.receive(letters[3]) == [3])
        // After their time, former chains are gone.
        let keys = people[1].group.state.receiving[member("a")]!
        #expect(keys.map { $0.chain != nil } == [true, true, true])
        people[1].group.expire(at: start + groupLimits.maxAge)
        #expect(people[1].group.state.receiving[member("a")]!.map(\.generation) == [3])
    }

    @Test func `one open chain is the strict rule`() throws {
        var limits = groupLimits
        limits = GroupLimits(
            maxMembers: 3, maxSkipped: 10, maxStored: 10, maxAge: .seconds(60), maxSent: 5, maxChainAge: .seconds(60),
            openChains: 1)
        let people = try Person.group(["a", "b"], limits)
        let letters = [try people[0].group.send([0]), try people[0].group.send([1]), try people[0].group.send([2])]
        _ = try people[1].group.receive(letters[1])
        people[0].group.endChain()
        let middle = try people[0].group.distribution(for: member("b"), at: start)
        people[0].group.endChain()
        try people[0].distribute(to: people)
        #expect(throws: GroupError.oldGeneration) {
            _ = try people[1].group.accept(middle, from: member("a"), at: start)
        }
        // It was not received, and never will be: nobody gives a chain that is closed.
        #expect(throws: GroupError.oldGeneration) { _ = try people[1].group.receive(letters[2]) }
        #expect(try people[1].group.receive(letters[0]) == [0])
        #expect(throws: GroupError.unknownChain) { _ = try people[1].group.receive(letters[2]) }
    }

    @Test func `skipped messages open once, in any order, after a restart`() throws {
        let people = try Person.group(["a", "b"])
        var letters: [GroupLetter] = []
        for number in 0..<102 as Range<UInt8> { letters.append(try people[0].group.send([number])) }
        let before = people[1].group.record()
        #expect(throws: GroupError.tooManySkipped) { _ = try people[1].group.receive(letters[101]) }
        #expect(people[1].group.record() == before)
        _ = try people[1].group.receive(letters[100])
        #expect(people[1].group.storedCount == 100)
        for number in (0..<100).shuffled() {
            people[1].group = try GroupSession(decoding: people[1].group.record().span, limits: groupLimits)
            #expect(try people[1].group.receive(letters[number]) == [UInt8(number)])
            #expect(throws: GroupError.duplicate) { _ = try people[1].group.receive(letters[number]) }
        }
        var changed = try people[0].group.send([7])
        changed.body[0] ^= 1
        let last = people[1].group.record()
        #expect(throws: GroupError.notAuthentic) { _ = try people[1].group.receive(changed) }
        #expect(people[1].group.record() == last)
        #expect(throws: GroupError.numberTooHigh) {
            _ = try people[1].group.receive(
                GroupLetter(sender: changed.sender, chain: changed.chain, number: .max, body: []))
        }
        #expect(throws: GroupError.tooManySkipped) {
            _ = try people[1].group.receive(
                GroupLetter(sender: changed.sender, chain: changed.chain, number: .max - 1, body: []))
        }
    }

    @Test func `an own chain ends after its messages and its time`() throws {
        let people = try Person.group(["a", "b"])
        for _ in 0..<500 { _ = try people[0].group.send([0]) }
        #expect(throws: GroupError.rekeyPending([member("b")])) { _ = try people[0].group.send([0]) }
        try people[0].distribute(to: people)
        #expect(try people[1].group.receive(try people[0].group.send([1])) == [1])
        let later = start + groupLimits.maxChainAge
        #expect(throws: GroupError.rekeyPending([member("b")])) { _ = try people[0].group.send([0], at: later) }
        let distribution = try people[0].group.distribution(for: member("b"), at: later, first: 77)
        #expect(distribution.generation == 2 && distribution.number == 77)
        #expect(try people[0].group.send([0], at: later).number == 77)
    }

    @Test func `the oldest skipped keys of the group go first`() throws {
        let limits = GroupLimits(
            maxMembers: 3, maxSkipped: 5, maxStored: 6, maxAge: .seconds(60), maxSent: 100, maxChainAge: .seconds(60),
            openChains: 2)
        let people = try Person.group(["a", "b", "c"], limits)
        for (place, sender) in [people[0], people[2]].enumerated() {
            var letters: [GroupLetter] = []
            for number in 0..<6 as Range<UInt8> { letters.append(try sender.group.send([number])) }
            _ = try people[1].group.receive(letters[5], at: start + .seconds(place))
        }
        let chains = people[1].group.state.receiving
        #expect(chains[member("a")]!.map(\.skipped.count) == [1] && chains[member("c")]!.map(\.skipped.count) == [5])
        #expect(chains[member("a")]![0].skipped.contains(4))
    }

    @Test func `lists of members are checked`() throws {
        for members in [["b"], ["a", "a"], (0...100).map { $0 == 0 ? "a" : "m\($0)" }] {
            #expect(throws: GroupError.malformedMembers) { _ = try Person("a", members) }
        }
        let alone = try Person("a", ["a"])
        #expect(throws: GroupError.rekeyPending([])) { _ = try alone.group.seal(at: start) }
        #expect(GroupMember([]) == nil && GroupMember([UInt8](repeating: 1, count: 65)) == nil)
        #expect(ChainID([1]) == nil)
    }
}

@Suite struct GroupRecordTests {
    static func record() throws -> [UInt8] {
        let people = try Person.group(["a", "bb", "c"])
        for _ in 0..<2 { _ = try people[0].group.send([0]) }
        _ = try people[1].group.receive(try people[0].group.send([0]))
        people[0].group.endChain()
        try people[0].distribute(to: people)
        for _ in 0..<1 { _ = try people[0].group.send([0]) }
        _ = try people[1].group.receive(try people[0].group.send([0]))
        return people[1].group.record()
    }

    @Test func `a record is read to its end, and nothing is read in two ways`() throws {
        let record = try Self.record()
        #expect(try GroupSession(decoding: record.span, limits: groupLimits).record() == record)
        for count in 0..<record.count {
            let cut = Array(record[..<count])
            #expect(throws: RecordError.malformed) { _ = try GroupSession(decoding: cut.span, limits: groupLimits) }
        }
        var refused = 0
        for place in record.indices {
            for value in [0, 1, 2, 0x80, 0xff] as [UInt8] where value != record[place] {
                var changed = record
                changed[place] = value
                do {
                    #expect(try GroupSession(decoding: changed.span, limits: groupLimits).record() == changed)
                } catch { refused += 1 }
            }
        }
        #expect(refused > 50)
        let longer = record + [0]
        #expect(throws: RecordError.malformed) { _ = try GroupSession(decoding: longer.span, limits: groupLimits) }
    }

    @Test func `the longest record fits`() throws {
        let limits = GroupLimits(
            maxMembers: 3, maxSkipped: 8, maxStored: 8, maxAge: .seconds(60), maxSent: 100, maxChainAge: .seconds(60),
            openChains: 2)
        let names = ["a", "b", "c"].map { String(repeating: $0, count: GroupMember.maxCount) }
        let people = try Person.group(names, limits)
        // A key of each of many chains.
        for _ in 0..<12 {
            for sender in [people[0], people[2]] {
                _ = try sender.group.send([0])
                _ = try people[1].group.receive(try sender.group.send([0]))
                sender.group.endChain()
                try sender.distribute(to: people)
            }
        }
        #expect(people[1].group.storedCount == 8)
        let record = people[1].group.record()
        #expect(record.count < GroupSession.maxRecordCount(limits))
        #expect(try GroupSession(decoding: record.span, limits: limits).record() == record)
    }
}
