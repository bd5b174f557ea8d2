import Encodings
import Ratchet
import SecureMemory
import SophaxKit
import Testing

@testable import SophaxChat
@testable import SophaxGroups

/// The limits of a group as they are shipped, and what a removed member can read of every member.
@Suite struct GroupLimitTests {
    private static let ids = GroupTests.ids

    /// A side of a group, which may be in an array.
    private final class Side {
        let index: Int
        var group: SophaxGroup

        init(_ index: Int, _ members: [Int]) throws {
            self.index = index
            group = try GroupTests.group(index, members)
        }

        func give(_ other: Side) throws { try GroupTests.give(&group, index, &other.group, other.index) }

        func open(_ message: GroupMessage, from sender: Side) throws -> [UInt8] {
            let opened = try group.open(message, from: GroupTests.ids[sender.index], at: now)
            let body = opened.body
            group = opened.next
            return body
        }
    }

    @Test func `an own chain has 500 messages`() throws {
        let (one, two) = (try Side(0, [0, 1]), try Side(1, [0, 1]))
        try one.give(two)
        for number in 0..<500 { _ = try one.group.seal3([1], id: "\(number)", at: now) }
        #expect(throws: GroupError.rekeyPending([SophaxGroup.member(Self.ids[1])])) {
            _ = try one.group.seal3([1], id: "500", at: now)
        }
        try one.give(two)
        let message = try one.group.seal3([2], id: "501", at: now)
        #expect(message.place.generation == 1 && message.place.iteration == 500)
        #expect(try two.open(message, from: one) == [2])
    }

    @Test func `an own chain and the key of a skipped message live for 7 days`() throws {
        let (one, two) = (try Side(0, [0, 1]), try Side(1, [0, 1]))
        try one.give(two)
        let messages = try (0..<3).map { try one.group.seal3([UInt8($0)], id: "\($0)", at: now) }
        let late = now + .milliseconds(7 * 86_400_000 - 1)
        _ = try one.group.seal3([1], id: "late", at: late)
        #expect(throws: GroupError.rekeyPending([SophaxGroup.member(Self.ids[1])])) {
            _ = try one.group.seal3([1], id: "too late", at: now + .days(7))
        }
        #expect(try two.open(messages[2], from: one) == [2])
        let opened = try two.group.open(messages[0], from: Self.ids[0], at: late)
        #expect(opened.body == [0])
        #expect(throws: GroupError.duplicate) {
            _ = try two.group.open(messages[0], from: Self.ids[0], at: now + .days(7))
        }
    }

    @Test func `a group stores 1000 keys of skipped messages, oldest out`() throws {
        let sides = try (0..<4).map { try Side($0, [0, 1, 2, 3]) }
        let reader = sides[3]
        var skipped: [(message: GroupMessage, sender: Side)] = []
        for sender in sides.dropLast() {
            for other in sides where other !== sender { try sender.give(other) }
            let messages = try (0..<404).map { try sender.group.seal3([UInt8($0 & 255)], id: "\($0)", at: now) }
            for number in 0..<4 {
                let opened = 101 * number + 100
                _ = try reader.open(messages[opened], from: sender)
                skipped += messages[101 * number..<opened].map { ($0, sender) }
                #expect(reader.group.session.storedCount == min(skipped.count, 1000))
            }
        }
        #expect(skipped.count == 1200)
        #expect(throws: GroupError.duplicate) { _ = try reader.open(skipped[0].message, from: skipped[0].sender) }
        _ = try reader.open(skipped[1199].message, from: skipped[1199].sender)
        #expect(reader.group.session.storedCount == 999)
    }

    @Test func `a group has 100 members, and not 101`() throws {
        let ids = try (0..<101).map { try #require(PeerID(String(repeating: "c", count: 29) + "\(100 + $0)")) }
        let group = try SophaxGroup("G", own: ids[0], members: Array(ids.dropLast()))
        #expect(group.session.members.count == 100)
        #expect(throws: GroupError.malformedMembers) { _ = try SophaxGroup("G", own: ids[0], members: ids) }
    }

    /// H-1, for every member: the removed one has its whole state, and tries the old chain's name as well.
    @Test func `a removed member opens none of 100 messages of each member`() throws {
        let sides = try (0..<4).map { try Side($0, [0, 1, 2, 3]) }
        for sender in sides { for other in sides where other !== sender { try sender.give(other) } }
        let gone = sides[2]
        let left = sides.filter { $0 !== gone }
        var before: [GroupMessage] = []
        for sender in left {
            before.append(try sender.group.seal3([0], id: "before", at: now))
            #expect(try gone.open(before.last!, from: sender) == [0])
        }
        for sender in left {
            _ = try sender.group.setMembers(left.map { Self.ids[$0.index] })
            let others = left.filter { $0 !== sender }
            for (number, other) in others.enumerated() {
                let pending = others[number...].map { SophaxGroup.member(Self.ids[$0.index]) }
                #expect(throws: GroupError.rekeyPending(pending)) {
                    _ = try sender.group.seal3([1], id: "m", at: now)
                }
                try sender.give(other)
            }
        }
        for (sender, old) in zip(left, before) {
            for number in 0..<100 {
                let message = try sender.group.seal3([UInt8(number)], id: "\(number)", at: now)
                for other in left where other !== sender {
                    #expect(try other.open(message, from: sender) == [UInt8(number)])
                }
                #expect(throws: GroupError.unknownChain) { _ = try gone.open(message, from: sender) }
                let renamed = GroupMessage(
                    place: GroupPlace(
                        group: "G", sender: Self.ids[sender.index], chain: old.place.chain,
                        generation: old.place.generation, iteration: old.place.iteration + 1,
                        previous: message.place.previous)!,
                    id: message.id, time: message.time, boxes: message.boxes)
                #expect(throws: GroupError.notAuthentic) { _ = try gone.open(renamed, from: sender) }
            }
        }
    }

    @Test func `an attachment has up to 512 KiB`() throws {
        let (one, two) = (try Side(0, [0, 1]), try Side(1, [0, 1]))
        try one.give(two)
        func message(_ count: Int) throws -> GroupMessage {
            try one.group.seal3([1], attachment: [UInt8](repeating: 7, count: count), id: "m", at: now)
        }
        let longest = try message(524_288)
        let read = try #require(GroupPayload(parsing: longest.encoded))
        let opened = try two.group.open(read, from: Self.ids[0], at: now)
        #expect(opened.attachment?.count == 524_288)
        #expect(throws: GroupError.malformedBody) { _ = try message(524_289) }
        let box = try #require(longest.boxes.attachment)
        let longer = GroupMessage(
            place: longest.place, id: "m", time: longest.time,
            boxes: GroupBoxes(body: longest.boxes.body, attachment: box + [0]))
        #expect(GroupPayload(parsing: longer.encoded) == nil)
    }
}
