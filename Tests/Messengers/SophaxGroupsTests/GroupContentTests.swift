import Encodings
import Primitives
import Ratchet
import SecureMemory
import SophaxKit
import Testing
import VectorKit

@testable import SophaxChat
@testable import SophaxGroups

/// What members state about each other's chains.
@Suite struct GroupContentTests {
    private static let ids = GroupTests.ids

    /// As the vectors have it.
    private static func text(_ heads: [TranscriptView.Head]) -> String {
        heads.map { "\($0.member):\($0.chain.bytes.hex):\($0.iteration):\($0.hash.hex)" }.joined(separator: ",")
    }

    @Test(arguments: try Vector.all(in: .sophaxChatGroups, op: "content-encode"))
    func `a body with heads`(_ vector: Vector) throws {
        let list = Array(try vector.inputs.string("heads").utf8)
        let parsed = try JSONScanner.parse(list.span)
        let heads = try #require(parsed.array).map { head in
            let values = try #require(head.array)
            return TranscriptView.Head(
                member: try #require(PeerID(values[0].string ?? "")),
                chain: try #require(ChainID(hex(values[1].string ?? ""))),
                iteration: UInt32(try #require(values[2].integer)), hash: try hex(values[3].string ?? ""))
        }
        let content = GroupContent(body: Array(try vector.inputs.string("body").utf8), heads: heads)
        #expect(String(decoding: content.encoded, as: UTF8.self) == (try vector.expected.string("text")))
        #expect(GroupContent(parsing: content.encoded) == content)
    }

    @Test(arguments: try Vector.all(in: .sophaxChatGroups, op: "content-decode"))
    func `a text that is read, or is none`(_ vector: Vector) throws {
        let content = GroupContent(parsing: Array(try vector.inputs.string("text").utf8))
        guard try vector.expected.string("form") == "content" else {
            #expect(content == nil)
            return
        }
        let read = try #require(content)
        #expect(try read.body == vector.expected.bytes("body"))
        #expect(try Self.text(read.heads) == vector.expected.string("heads"))
    }

    @Test func `the longest body with 100 heads fits, and a longer one is not sealed`() throws {
        let head = TranscriptView.Head(
            member: Self.ids[0], chain: try #require(ChainID([UInt8](repeating: 255, count: 16))), iteration: .max,
            hash: [UInt8](repeating: 255, count: 32))
        let content = GroupContent(
            body: [UInt8](repeating: 1, count: GroupBoxes.maxBody), heads: Array(repeating: head, count: 101))
        #expect(content.heads.count == 100 && content.encoded.count <= GroupContent.maxCount)
        #expect(GroupContent(parsing: content.encoded) == content)
        let short = GroupContent(body: [], heads: []).encoded
        let long = short + [UInt8](repeating: 0x20, count: GroupContent.maxCount + 1 - short.count)
        #expect(GroupContent(parsing: long.dropLast()) != nil && GroupContent(parsing: long) == nil)
        // The whole message, with the longest attachment.
        var one = try GroupTests.group(0, [0, 1])
        var two = try GroupTests.group(1, [0, 1])
        try GroupTests.give(&two, 1, &one, 0)
        try GroupTests.give(&one, 0, &two, 1)
        let attachment = [UInt8](repeating: 2, count: GroupBoxes.maxAttachment)
        for (body, attachment, id) in [
            (content.body + [1], [], "m"), ([], attachment + [2], "m"), ([], [], ""),
            ([], [], String(repeating: "m", count: 65)),
        ] as [([UInt8], [UInt8], String)] {
            #expect(throws: GroupError.malformedBody) {
                _ = try one.seal(body, attachment: attachment, id: id, at: now)
            }
        }
        let message = try one.seal3(content.body, attachment: attachment, id: "m", at: now)
        #expect(message.place.iteration == 0 && message.encoded.count <= WireMessage.maxPayload)
        let opened = try two.open(#require(GroupPayload(parsing: message.encoded)), from: Self.ids[0], at: now)
        #expect(opened.body == content.body && opened.attachment == attachment && opened.forked.isEmpty)
    }

    /// Three members with each other's chains.
    private static func three() throws -> (records: [[UInt8]], first: [[UInt8]]) {
        var one = try GroupTests.group(0, [0, 1, 2])
        var two = try GroupTests.group(1, [0, 1, 2])
        var three = try GroupTests.group(2, [0, 1, 2])
        try GroupTests.give(&one, 0, &two, 1)
        try GroupTests.give(&one, 0, &three, 2)
        try GroupTests.give(&two, 1, &one, 0)
        try GroupTests.give(&two, 1, &three, 2)
        try GroupTests.give(&three, 2, &one, 0)
        try GroupTests.give(&three, 2, &two, 1)
        let records = [
            GroupRecord(one).encoded().copied, GroupRecord(two).encoded().copied, GroupRecord(three).encoded().copied,
        ]
        return (records, records)
    }

    /// Seals with a stored group, which is stored again.
    private static func seal(_ body: UInt8, by index: Int, _ records: inout [[UInt8]]) throws -> GroupMessage {
        let bytes = records[index]
        let record = try GroupRecord(decoding: bytes.span, of: ids[index])
        var group = record.group
        let message = try group.seal3([body], id: "m", at: now)
        records[index] = GroupRecord(group).encoded().copied
        return message
    }

    /// Opens with a stored group, which is stored again.
    private static func open(
        _ message: GroupMessage, by index: Int, _ records: inout [[UInt8]]
    ) throws -> (status: TranscriptView.Status?, forked: [PeerID]) {
        let bytes = records[index]
        let record = try GroupRecord(decoding: bytes.span, of: ids[index])
        let opened = try record.group.open(message, from: message.place.sender, at: now)
        let result = (opened.status, opened.forked)
        records[index] = GroupRecord(opened.next).encoded().copied
        return result
    }

    private static func view(of member: Int, at index: Int, _ records: [[UInt8]]) throws -> TranscriptView? {
        let bytes = records[index]
        let record = try GroupRecord(decoding: bytes.span, of: ids[index])
        let again = record.encoded().copied
        #expect(again == bytes)
        let views = record.group.views
        return views[ids[member]]
    }

    /// L-1.
    @Test func `who shows two members different messages is named by the next message between them`() throws {
        var (records, before) = try Self.three()
        let shown = try Self.seal(1, by: 0, &records)
        // From the same state once more.
        let other = try Self.seal(2, by: 0, &before)
        #expect(try Self.open(shown, by: 1, &records) == (.consistent, []))
        #expect(try Self.open(other, by: 2, &records) == (.consistent, []))
        let message = try Self.seal(3, by: 1, &records)
        let seen = try Self.open(message, by: 2, &records)
        #expect(seen.status == .consistent && seen.forked == [Self.ids[0]])
        // It is a claim, and stored as one. The record has form 2 for it.
        #expect(records[2][0] == 2)
        let claimed = try #require(try Self.view(of: 0, at: 2, records))
        #expect(claimed.claimant == Self.ids[1] && claimed.status == .consistent)
        #expect(try Self.view(of: 1, at: 2, records)?.claimant == nil)
        let bytes = records[2]
        for changed in [[1] + bytes[1...], bytes.dropLast(), bytes.dropLast(33) + [0]] {
            #expect(throws: StoredRecordError.malformed) {
                _ = try GroupRecord(decoding: Array(changed).span, of: Self.ids[2])
            }
        }
        // The sender is told what it is said to have sent: the first of both is what it has stored.
        #expect(try Self.open(message, by: 0, &records).forked == [])
        let answer = try Self.seal(4, by: 2, &records)
        #expect(try Self.open(answer, by: 0, &records).forked == [Self.ids[0]])
        #expect(try Self.open(answer, by: 1, &records).forked == [Self.ids[0]])
    }

    @Test func `members that are behind or ahead of each other agree`() throws {
        var records = try Self.three().records
        let messages = try (0..<6).map { try Self.seal(UInt8($0), by: 0, &records) }
        for number in [0, 1, 2, 5] { _ = try Self.open(messages[number], by: 1, &records) }
        for number in [0, 4] { _ = try Self.open(messages[number], by: 2, &records) }
        for sender in 1...2 {
            let message = try Self.seal(9, by: sender, &records)
            for reader in [0, 3 - sender] { #expect(try Self.open(message, by: reader, &records).forked == []) }
        }
        // A head that is behind a gap is compared, too.
        let honest = try Self.seal(6, by: 1, &records)
        #expect(try Self.open(honest, by: 2, &records).forked == [])
        var view = TranscriptView(chain: honest.place.chain, next: 0, hash: [UInt8](repeating: 0, count: 32))
        let boxes = GroupBoxes(body: [1])
        _ = view.add(4, previous: [UInt8](repeating: 4, count: 32), boxes)
        for (number, value, result) in [(4, 4, false), (4, 5, true), (3, 9, false), (0, 0, false), (0, 1, true)]
            as [(UInt32, UInt8, Bool)]
        {
            let head = TranscriptView.Head(
                member: Self.ids[0], chain: view.chain, iteration: number, hash: [UInt8](repeating: value, count: 32))
            #expect(view.contradicts(head) == result)
        }
    }

    @Test func `a body without its form is refused, and changes nothing`() throws {
        var one = try GroupTests.group(0, [0, 1])
        var two = try GroupTests.group(1, [0, 1])
        let given = try one.distribution(for: Self.ids[1], at: now)
        _ = try two.accept(given, from: Self.ids[0], at: now)
        let message = try one.seal3([1], id: "m", at: now)
        let walk = HMACSHA256.walkChain(given.chain.key.bytes, steps: 1, output: 1, next: 2).copied
        let key = held(Array(walk[..<32]))
        for text in ["", "hi", #"{"body":"aGk="}"#] {
            let forged = GroupMessage(
                place: message.place, id: "m", time: message.time,
                boxes: message.place.seal(Array(text.utf8), attachment: nil, key: key))
            #expect(throws: GroupError.malformedBody) { _ = try two.open(forged, from: Self.ids[0], at: now) }
        }
        let opened = try two.open(message, from: Self.ids[0], at: now)
        #expect(opened.body == [1])
    }

    @Test func `10,000 mutations of a text`() throws {
        let vectors = try Vector.all(in: .sophaxChatGroups, op: "content-encode")
        let bytes = Array(try vectors[2].expected.string("text").utf8)
        let random = SeededRandom(seed: 4)
        var read = 0
        for _ in 0..<10_000 {
            guard let content = GroupContent(parsing: random.changed(bytes)) else { continue }
            #expect(GroupContent(parsing: content.encoded) == content)
            read += 1
        }
        #expect(read > 100 && read < 9_900)
    }
}
