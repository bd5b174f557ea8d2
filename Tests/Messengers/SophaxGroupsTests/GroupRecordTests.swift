import Encodings
import Primitives
import Ratchet
import SecureMemory
import SophaxKit
import Testing
import VectorKit

@testable import SophaxChat
@testable import SophaxGroups

@Suite struct GroupRecordTests {
    private static let ids = GroupTests.ids

    private static func read(_ bytes: [UInt8], _ own: Int = 0) throws -> GroupRecord {
        try GroupRecord(decoding: bytes.span, of: ids[own])
    }

    private static func refusal(_ bytes: [UInt8], _ own: Int = 0) -> StoredRecordError? {
        do throws(StoredRecordError) {
            _ = try GroupRecord(decoding: bytes.span, of: ids[own])
            return nil
        } catch {
            return error
        }
    }

    /// Two sides that have given each other their chains, as stored values.
    private static func pair(_ members: [Int] = [0, 1]) throws -> [[UInt8]] {
        var one = try GroupTests.group(0, members)
        var two = try GroupTests.group(1, members)
        try GroupTests.give(&one, 0, &two, 1)
        try GroupTests.give(&two, 1, &one, 0)
        for index in members where index > 1 {
            _ = try one.distribution(for: ids[index], at: now)
            _ = try two.distribution(for: ids[index], at: now)
        }
        return [GroupRecord(one).encoded().copied, GroupRecord(two).encoded().copied]
    }

    /// The record of the last vector but one, with a gap, and hashes.
    private static func example() throws -> [UInt8] {
        try Vector.named("sg-053", in: .sophaxChatGroups).expected.bytes("record")
    }

    @Test(arguments: try Vector.all(in: .sophaxChatGroups, op: "group-record"))
    func `a record, as computed elsewhere`(_ vector: Vector) throws {
        let inputs = vector.inputs
        func peer(_ name: String) throws -> PeerID { try #require(PeerID(inputs.string(name))) }
        func peers(_ name: String) throws -> [PeerID] {
            try inputs.string(name).split(separator: ",").map { try #require(PeerID(String($0))) }
        }
        let (own, sender) = (try peer("own"), try peer("sender"))
        let time = Timestamp(milliseconds: Int64(try inputs.integer("time")))
        var group = try SophaxGroup(inputs.string("group"), own: own, members: peers("members"))
        let (id, key) = (try inputs.bytes("own_chain_id"), held(try inputs.bytes("own_chain_key")))
        for holder in try peers("holders") {
            _ = try group.distribution(for: holder, at: time, first: UInt32(try inputs.integer("own_first"))) {
                (id: id, key: key)
            }
        }
        let chain = try #require(ChainID(inputs.bytes("chain_id")))
        let stored = try group.accept(
            GroupDistribution(
                group: group.name,
                chain: ChainDistribution(
                    chain: chain, generation: 0, number: 0, key: held(inputs.bytes("chain_key"))),
                transcript: Transcript.start(chain)), from: sender, at: time)
        #expect(stored == .stored)
        let boxes = try vector.expected.string("boxes").split(separator: ",").map { try hex(String($0)) }
        var hashes = [Transcript.start(chain)]
        for box in boxes { hashes.append(Transcript.next(hashes.last!, GroupBoxes(body: box))) }
        for number in try inputs.string("received").split(separator: ",").map({ try #require(Int($0)) }) {
            let place = try #require(
                GroupPlace(
                    group: group.name, sender: sender, chain: chain, generation: 0, iteration: UInt32(number),
                    previous: hashes[number]))
            let message = GroupMessage(
                place: place, id: "m", time: AppTime(time), boxes: GroupBoxes(body: boxes[number]))
            let opened = try group.open(message, from: sender, at: time)
            #expect(opened.body == Array("text \(number)".utf8))
            group = opened.next
        }
        for each in try peers("proved") { group.prove(each, .given) }
        let strangers = try peers("proved").filter { !group.hasProved($0) }
        let record = GroupRecord(group)
        let expected = try vector.expected.bytes("record")
        let again = try GroupRecord(decoding: expected.span, of: own)
        #expect(again.encoded().copied == expected)
        #expect(GroupRecord.name(of: again.group.name) == Array(try inputs.string("group").utf8))
        if strangers.isEmpty {
            let bytes = record.encoded().copied
            let digest = try vector.expected.bytes("sha256")
            #expect(bytes == expected && SHA256.hash(bytes.span) == digest)
        } else {
            // One that was a member once: it cannot prove anything now, and stays in a record.
            let known = again.group.proofs
            #expect(strangers.allSatisfy { known.contains($0) })
        }
        #expect(again.group.views == record.group.views && again.group.sent == record.group.sent)
    }

    @Test func `a conversation of which only values are left between the steps`() throws {
        var values = try Self.pair()
        var late: [(GroupMessage, Int)] = []
        for round in 0..<24 {
            let from = round % 3 == 0 ? 1 : 0
            var sender = try Self.read(values[from], from)
            let message = try sender.group.seal3([UInt8(round)], id: "\(round)", at: now)
            values[from] = sender.encoded().copied
            // Every fourth message comes later, out of order.
            if round % 4 == 1 {
                late.insert((message, from), at: 0)
                continue
            }
            try Self.receive(message, from, &values, expecting: UInt8(round))
        }
        let gap = try #require(try Self.read(values[1], 1).group.views[Self.ids[0]]).status
        guard case .gap = gap else {
            Issue.record("no gap: \(gap)")
            return
        }
        for (message, from) in late {
            try Self.receive(message, from, &values, expecting: UInt8(message.id)!)
        }
        for side in 0...1 {
            let record = try Self.read(values[side], side)
            #expect(record.group.views.values.map(\.status) == [.consistent])
            #expect(record.group.proofs.proofs == [Self.ids[1 - side]: .spoken] && record.group.form == .version3)
        }
        // What each has sent is what the other one has seen.
        let one = try Self.read(values[0])
        let two = try Self.read(values[1], 1)
        #expect(one.group.sent?.head(of: Self.ids[0]) == two.group.views[Self.ids[0]]?.head(of: Self.ids[0]))
    }

    private static func receive(
        _ message: GroupMessage, _ from: Int, _ values: inout [[UInt8]], expecting body: UInt8
    ) throws {
        var receiver = try read(values[1 - from], 1 - from)
        let opened = try receiver.group.open(message, from: ids[from], at: now)
        #expect(opened.body == [body])
        receiver.group = opened.next
        values[1 - from] = receiver.encoded().copied
        let stored = try read(values[1 - from], 1 - from)
        #expect(throws: GroupError.duplicate) { _ = try stored.group.open(message, from: ids[from], at: now) }
    }

    @Test func `who has proved version 3 is remembered when it leaves, up to 1000`() throws {
        var group = try SophaxGroup("G", own: Self.ids[0], members: [Self.ids[0], Self.ids[1]])
        group.prove(Self.ids[2], .given)
        #expect(group.proofs.proofs.isEmpty)
        group.prove(Self.ids[1], .given)
        for number in 1000..<2100 {
            let peer = try #require(PeerID(String(repeating: "f", count: 28) + "\(number)"))
            _ = try group.setMembers([Self.ids[0], peer])
            group.prove(peer, .spoken)
            group.prove(peer, .given)
            #expect(group.proofs.proofs[peer] == .spoken && group.form == .version3)
        }
        let proofs = group.proofs
        #expect(proofs.proofs.count <= ProvedForms.max && proofs.proofs.count > 990)
        #expect(try Self.read(GroupRecord(group).encoded().copied).group.proofs == proofs)
    }

    @Test func `what is no record`() throws {
        let bytes = try Self.example()
        #expect(Self.refusal(bytes) == nil)
        #expect(Self.refusal(bytes, 1) == .malformed, "of another identity")
        func changed(_ place: Int, _ value: UInt8) -> [UInt8] {
            Array(bytes[..<place] + [value] + bytes[(place + 1)...])
        }
        #expect(Self.refusal(changed(0, 3)) == .unknownForm(3) && Self.refusal(changed(0, 2)) == .malformed)
        // The name is empty, or no UTF-8.
        #expect(Self.refusal([1, 0] + bytes[3...]) == .malformed && Self.refusal(changed(2, 0xff)) == .malformed)
        // The number of peers, the length of one, a peer that is none, its proof, the length of the chains.
        for place in [4, 5, 6, 38, 42] { #expect(Self.refusal(changed(place, 0x7f)) == .malformed, "\(place)") }
        #expect(Self.refusal(changed(43, 0x7f)) == .unknownForm(0x7f), "that of the chains")
        #expect(Self.refusal(bytes + [0]) == .malformed)
        for count in stride(from: 0, to: bytes.count, by: 5) {
            #expect(Self.refusal(Array(bytes[..<count])) == .malformed)
        }
        let tooLong = bytes + [UInt8](repeating: 0, count: GroupRecord.maxCount)
        #expect(Self.refusal(tooLong) == .malformed)
    }

    @Test func `transcripts that do not fit their chains`() throws {
        let bytes = try Self.example()
        // From the end: the view has two hashes and one more before `next`, and two messages behind gaps.
        let view = bytes.count - (9 + 3 * 32 + 2 * 68)
        let sent = view - (9 + 32)
        func refuses(_ place: Int, _ values: [UInt8]) -> Bool {
            Self.refusal(Array(bytes[..<place] + values + bytes[(place + values.count)...])) == .malformed
        }
        #expect(
            refuses(sent - 17, [2]) && refuses(sent - 17, [3]) && refuses(sent - 17, [0]),
            "whether there is an own chain, and its form")
        #expect(refuses(sent - 16, [7]), "another chain than the own one")
        #expect(refuses(sent, [0, 0, 0, 1]), "another number than the next one")
        #expect(refuses(sent + 4, [1]), "a fork of one's own")
        #expect(refuses(view + 4, [2]), "neither fork nor none")
        #expect(refuses(view, [0, 0, 0, 1]), "more hashes than messages")
        #expect(refuses(view + 5, [0, 0]) && refuses(view + 5, [3, 0xe9]), "no hashes, or 1001")
        let ahead = bytes.count - 2 * 68
        #expect(refuses(ahead, [0, 0, 0, 2]), "it is not behind the gap")
        #expect(refuses(ahead + 68, [0, 0, 0, 4]), "twice")
        #expect(refuses(ahead + 68, [0xff, 0xff, 0xff, 0xff]), "a number that no message has")
    }

    @Test func `10,000 mutations of a record`() throws {
        let bytes = try Self.example()
        let random = SeededRandom(seed: 1)
        var read = 0
        for _ in 0..<10_000 {
            let changed = random.changed(bytes)
            guard var other = try? Self.read(changed) else { continue }
            #expect(other.encoded().copied == changed)
            // What was read can be used.
            _ = try? other.rekey(other.group.members, at: now)
            _ = try? other.group.seal([1], id: "m", at: now)
            #expect(Self.refusal(other.encoded().copied) == nil)
            read += 1
        }
        #expect(read > 100 && read < 9_900)
    }

    @Test func `transcripts of a large group are cut to fit a value of a store`() throws {
        #expect(GroupRecord.maxCount <= 1 << 20)
        // Many hashes, and then many messages behind gaps: the former are forgotten first.
        for (pastCount, aheadCount) in [(100, 76), (1, 130)] {
            let full = try Self.views(pastCount, aheadCount)
            var views = full
            SophaxGroup.trim(&views)
            let sizes = views.values.map(\.encodedCount)
            let total = sizes.reduce(0, +)
            #expect(total <= SophaxGroup.maxTranscriptBytes && total > SophaxGroup.maxTranscriptBytes - 68)
            #expect(sizes.max()! - sizes.min()! <= 68)
            for view in views.values {
                // The hash before the next message stays, and the messages that are nearest.
                #expect(view.head(of: Self.ids[0]).hash == [UInt8](repeating: UInt8(pastCount), count: 32))
                #expect(view.status == .gap(from: 1500, to: 1999))
                #expect(pastCount == 1 ? view.ahead.count > 100 : view.ahead.count == aheadCount && view.pastCount > 80)
            }
            var small = full.filter { $0.key.description.hasSuffix("5") }
            let before = small
            SophaxGroup.trim(&small)
            #expect(small == before)
        }
    }

    /// Those of 99 members, which remember as much each.
    private static func views(_ pastCount: Int, _ aheadCount: Int) throws -> [PeerID: TranscriptView] {
        let chain = try #require(ChainID([UInt8](0..<16)))
        let hash = [UInt8](repeating: 7, count: 32)
        let past = (1...pastCount).map { [UInt8](repeating: UInt8($0), count: 32) }
        let entry = TranscriptView.Entry(previous: hash, hash: hash)
        let ahead = [UInt32: TranscriptView.Entry](
            uniqueKeysWithValues: (0..<UInt32(aheadCount)).map { (2000 + $0, entry) })
        let view = TranscriptView(
            chain: chain, next: 1500, past: past, ahead: ahead, isForked: false, claimant: Self.ids[0])
        return try [PeerID: TranscriptView](
            uniqueKeysWithValues: (100..<199).map {
                (try #require(PeerID(String(repeating: "e", count: 29) + "\($0)")), view)
            })
    }
}
