import Encodings
import Ratchet
import SecureMemory
import SophaxKit
import Testing

@testable import SophaxChat
@testable import SophaxGroups

@Suite struct GroupRekeyingTests {
    private static let ids = GroupTests.ids

    /// The first of four members, which has the chain of the second one and has sent.
    private static func record(sent: Int = 3) throws -> GroupRecord {
        var one = try GroupTests.group(0, [0, 1, 2, 3])
        var two = try GroupTests.group(1, [0, 1, 2, 3])
        try GroupTests.give(&two, 1, &one, 0)
        for id in ids.dropFirst() { _ = try one.distribution(for: id, at: now) }
        for number in 0..<sent { _ = try one.seal3([1], id: "\(number)", at: now) }
        return GroupRecord(one)
    }

    @Test func `every member is given another chain, and who has gone opens nothing of it`() throws {
        var record = try Self.record()
        let beforeChain = record.group.session.ownChain
        let before = try #require(beforeChain)
        let rekeying = try record.rekey([Self.ids[3], Self.ids[0], Self.ids[1]], at: now)
        #expect(rekeying.parts.map(\.member) == [Self.ids[1], Self.ids[3]])
        #expect(rekeying.removed == [Self.ids[2]] && rekeying.added == [] && rekeying.generation == 1)
        let afterChain = record.group.session.ownChain
        let after = try #require(afterChain)
        #expect(after.chain != before.chain && after.generation == 1 && after.next == 3, "a mixed group goes on at 3")
        #expect(after.holders.count == 2)
        // Nobody has to be given anything, and all read on.
        let message = try record.group.seal3([7], id: "m", at: now)
        #expect(message.place.chain == after.chain)
        for part in rekeying.parts {
            let index = try #require(Self.ids.firstIndex(of: part.member))
            var other = try GroupTests.group(index, [0, 1, 3])
            let text = part.distribution.encoded().copied
            guard case .version3(let given) = try SenderKeyDistribution(parsing: text.span) else {
                Issue.record("an old distribution")
                return
            }
            #expect(try other.accept(given, from: Self.ids[0], at: now) == .stored)
            let opened = try other.open(message, from: Self.ids[0], at: now)
            #expect(opened.body == [7] && opened.status == .consistent)
        }
        let gone = try GroupTests.group(2, [0, 1, 2, 3])
        #expect(throws: GroupError.unknownChain) { _ = try gone.open(message, from: Self.ids[0], at: now) }
    }

    @Test func `the chain is new also if nobody has gone, and each time`() throws {
        var record = try Self.record()
        let sent = try #require(record.group.sent?.next)
        #expect(sent > 0)
        var chains: Set<ChainID> = []
        var keys: Set<[UInt8]> = []
        for generation in 1...5 as ClosedRange<UInt32> {
            let rekeying = try record.rekey(Self.ids, at: now)
            #expect(rekeying.generation == generation && rekeying.removed == [] && rekeying.added == [])
            for part in rekeying.parts {
                #expect(part.distribution.chain.number == sent, "an app of the old form may come back")
                chains.insert(part.distribution.chain.chain)
                keys.insert(part.distribution.chain.key.bytes.copied)
            }
        }
        #expect(chains.count == 5 && keys.count == 5)
        // The chains of the others stay.
        #expect(record.group.views.keys.sorted() == [Self.ids[1]])
    }

    @Test func `who comes is given the chain, too`() throws {
        var record = try Self.record()
        let other = try #require(PeerID(String(repeating: "d", count: 32)))
        let rekeying = try record.rekey([Self.ids[0], other], at: now)
        #expect(rekeying.removed == Array(Self.ids.dropFirst()) && rekeying.added == [other])
        #expect(rekeying.parts.map(\.member) == [other] && record.group.views.isEmpty)
    }

    @Test func `lists that are none change nothing`() throws {
        var record = try Self.record()
        let before = record.encoded().copied
        let many = try (0..<100).map { try #require(PeerID(String(repeating: "c", count: 29) + "\(100 + $0)")) }
        for members in [
            [], [Self.ids[0]], [Self.ids[1], Self.ids[2]], [Self.ids[0], Self.ids[1], Self.ids[1]],
            [Self.ids[0]] + many,
        ] {
            #expect(throws: GroupError.malformedMembers) { _ = try record.rekey(members, at: now) }
        }
        #expect(record.encoded().copied == before)
        let rekeying = try record.rekey([Self.ids[0]] + many.dropLast(), at: now)
        #expect(rekeying.parts.count == 99)
        let text = rekeying.encoded().copied
        #expect(try JSONScanner.parse(text.span)["distributions"]?.array?.count == 99)
    }

    @Test func `the text that a program is given`() throws {
        var record = try Self.record()
        let rekeying = try record.rekey(Self.ids, at: now)
        let text = rekeying.encoded().copied
        let value = try JSONScanner.parse(text.span)
        #expect(value.members?.map(\.name) == ["distributions", "group", "version"] && value.bytes == text)
        #expect(value["group"] == "G" && value["version"] == 1)
        let parts = try #require(value["distributions"]?.array)
        #expect(parts.map { $0["member"] } == Self.ids.dropFirst().map { .string($0.description) })
        for (part, each) in zip(parts, rekeying.parts) {
            #expect(try #require(part["distribution"]).bytes == each.distribution.encoded().copied)
        }
    }
}
