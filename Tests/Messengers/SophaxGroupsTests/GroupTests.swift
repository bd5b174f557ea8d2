import Encodings
import Primitives
import Ratchet
import SecureMemory
import SophaxKit
import Testing
import VectorKit

@testable import SophaxChat
@testable import SophaxGroups

extension SophaxGroup {
    /// Seals a message of version 3.
    mutating func seal3(
        _ body: [UInt8], attachment: [UInt8]? = nil, id: String, at now: Timestamp
    ) throws -> GroupMessage {
        guard case .version3(let message) = try seal(body, attachment: attachment, id: id, at: now) else {
            throw GroupError.lowerForm
        }
        return message
    }

    borrowing func open(
        _ message: GroupMessage, from sender: PeerID, at now: Timestamp
    ) throws(GroupError) -> Opened {
        try open(.version3(message), from: sender, at: now)
    }
}

@Suite struct GroupTests {
    static let ids = (0..<4).map { PeerID(String(repeating: "\($0)", count: 32))! }

    /// A group whose members have all proved version 3.
    static func group(_ index: Int, _ members: [Int]) throws -> SophaxGroup {
        var group = try SophaxGroup("G", own: ids[index], members: members.map { ids[$0] })
        for member in members where member != index { group.prove(ids[member], .given) }
        return group
    }

    /// Gives a chain to a member.
    static func give(_ from: inout SophaxGroup, _ sender: Int, _ to: inout SophaxGroup, _ receiver: Int) throws {
        _ = try to.accept(from.distribution(for: ids[receiver], at: now), from: ids[sender], at: now)
    }

    @Test(arguments: try Vector.all(in: .sophaxChat, op: "sender-key-chain"))
    func `a sender's chain`(_ vector: Vector) throws {
        let key = secure(try vector.inputs.bytes("chain_key"))
        let count = try vector.inputs.integer("iterations")
        let walk = HMACSHA256.walkChain(key, steps: count, output: 1, next: 2).copied
        let keys = (0..<count).map { Array(walk[32 * $0..<32 * $0 + 32]).hex }.joined(separator: ",")
        #expect(keys == (try vector.expected.string("message_keys")))
        #expect(Array(walk[(32 * count)...]) == (try vector.expected.bytes("chain_key_8")))
    }

    @Test(arguments: try Vector.all(in: .sophaxChat, op: "sender-key-encrypt"))
    func `a message of the old form`(_ vector: Vector) throws {
        let number = try vector.inputs.integer("iteration")
        let walk = HMACSHA256.walkChain(
            secure(try vector.inputs.bytes("chain_key_0")), steps: number + 1, output: 1, next: 2
        ).copied
        let key = secure(Array(walk[32 * number..<32 * number + 32]))
        let text = try vector.inputs.bytes("plaintext")
        let box = Boxes.seal(text.span, key: key, nonce: try vector.inputs.bytes("nonce"), data: [])
        #expect(box == (try vector.expected.bytes("box")))
    }

    @Test func `boxes and transcript, as computed elsewhere`() throws {
        let chain = try #require(ChainID([UInt8](0..<16)))
        let place = try #require(
            GroupPlace(
                group: "G", sender: alice().peerID, chain: chain, generation: 0, iteration: 0,
                previous: Transcript.start(chain)))
        #expect(place.previous.hex.hasPrefix("cc779be5fd6403de") && place.additionalData(.body).count == 110)
        let chainKey = secure([UInt8](0..<32))
        let key = secure(Array(HMACSHA256.walkChain(chainKey, steps: 1, output: 1, next: 2).copied[..<32]))
        let text = Array("hi".utf8)
        let box = Boxes.seal(
            text.span, key: key, nonce: [UInt8](repeating: 0, count: 12), data: place.additionalData(.body))
        #expect(box.hex.hasSuffix("d850cbf505007d7ec3fbc3d8b052c19b2137"))
        #expect(Transcript.next(place.previous, GroupBoxes(body: box)).hex.hasPrefix("ff1ba683b1cce7b1"))
    }

    @Test func `body and attachment are no substitutes for each other, and both are in the transcript`() throws {
        var one = try Self.group(0, [0, 1])
        var two = try Self.group(1, [0, 1])
        try Self.give(&one, 0, &two, 1)
        let message = try one.seal3([1], attachment: [2, 3], id: "m", at: now)
        let read = try #require(GroupPayload(parsing: message.encoded))
        #expect(read == .version3(message))
        let opened = try two.open(read, from: Self.ids[0], at: now)
        #expect(opened.body == [1] && opened.attachment == [2, 3] && opened.status == .consistent)
        let swapped = GroupMessage(
            place: message.place, id: "m", time: message.time,
            boxes: GroupBoxes(body: message.boxes.attachment!, attachment: message.boxes.body))
        #expect(throws: GroupError.notAuthentic) { _ = try two.open(swapped, from: Self.ids[0], at: now) }
        let hashes = [
            message.boxes, GroupBoxes(body: message.boxes.body), swapped.boxes,
            GroupBoxes(body: message.boxes.body, attachment: message.boxes.body),
        ].map { Transcript.next(message.place.previous, $0) }
        #expect(Set(hashes).count == 4)
    }

    @Test func `a sender cannot speak as another member`() throws {
        var one = try Self.group(0, [0, 1, 2])
        var two = try Self.group(1, [0, 1, 2])
        try Self.give(&one, 0, &two, 1)
        _ = try one.distribution(for: Self.ids[2], at: now)
        let message = try one.seal3([1], id: "m", at: now)
        #expect(throws: GroupError.notMember) { _ = try two.open(message, from: Self.ids[2], at: now) }
        #expect(throws: GroupError.notMember) { _ = try two.open(message, from: Self.ids[3], at: now) }
    }

    /// H-1.
    @Test func `a removed member opens nothing that is sent later, and reads only the new chain when it is back`()
        throws
    {
        var one = try Self.group(0, [0, 1, 2])
        var two = try Self.group(1, [0, 1, 2])
        var gone = try Self.group(2, [0, 1, 2])
        try Self.give(&one, 0, &two, 1)
        try Self.give(&one, 0, &gone, 2)
        let before = try one.seal3([0], id: "before", at: now)
        _ = try gone.open(before, from: Self.ids[0], at: now)
        _ = try one.setMembers([Self.ids[0], Self.ids[1]])
        #expect(throws: GroupError.rekeyPending([SophaxGroup.member(Self.ids[1])])) {
            _ = try one.seal3([1], id: "m", at: now)
        }
        try Self.give(&one, 0, &two, 1)
        var later: [GroupMessage] = []
        for index in 0..<100 {
            let message = try one.seal3([UInt8(index)], id: "\(index)", at: now)
            let opened = try two.open(message, from: Self.ids[0], at: now)
            #expect(opened.body == [UInt8(index)])
            two = opened.next
            later.append(message)
        }
        for message in later {
            #expect(throws: GroupError.unknownChain) { _ = try gone.open(message, from: Self.ids[0], at: now) }
            // With the name of the old chain the key is another one, and the place is authenticated.
            let forged = GroupMessage(
                place: GroupPlace(
                    group: "G", sender: Self.ids[0], chain: before.place.chain, generation: 0,
                    iteration: message.place.iteration, previous: message.place.previous)!,
                id: message.id, time: message.time, boxes: message.boxes)
            #expect(throws: GroupError.notAuthentic) { _ = try gone.open(forged, from: Self.ids[0], at: now) }
        }
        _ = try one.setMembers([Self.ids[0], Self.ids[1], Self.ids[2]])
        #expect(throws: GroupError.rekeyPending([SophaxGroup.member(Self.ids[2])])) {
            _ = try one.seal3([1], id: "m", at: now)
        }
        try Self.give(&one, 0, &gone, 2)
        #expect(throws: GroupError.duplicate) { _ = try gone.open(later[99], from: Self.ids[0], at: now) }
        let next = try one.seal3([7], id: "next", at: now)
        let opened = try gone.open(next, from: Self.ids[0], at: now)
        #expect(opened.body == [7] && opened.status == .consistent)
    }

    /// M-1.
    @Test func `100 skipped messages open in any order, each once; 101 ahead changes nothing`() throws {
        var one = try Self.group(0, [0, 1])
        var two = try Self.group(1, [0, 1])
        try Self.give(&one, 0, &two, 1)
        let messages = try (0..<102).map { try one.seal3([UInt8($0)], id: "\($0)", at: now) }
        #expect(throws: GroupError.tooManySkipped) { _ = try two.open(messages[101], from: Self.ids[0], at: now) }
        let random = SeededRandom(seed: 1)
        var order = Array(0..<100)
        for index in order.indices { order.swapAt(index, random.number(below: order.count)) }
        for index in [100] + order {
            let opened = try two.open(messages[index], from: Self.ids[0], at: now)
            #expect(opened.body == [UInt8(index)])
            two = opened.next
            #expect(throws: GroupError.duplicate) { _ = try two.open(messages[index], from: Self.ids[0], at: now) }
        }
        #expect(two.views[Self.ids[0]]?.status == .consistent)
    }

    /// M-2.
    @Test func `a message before its distribution is kept, and a resend resets nothing`() throws {
        var one = try Self.group(0, [0, 1])
        var two = try Self.group(1, [0, 1])
        let distribution = try one.distribution(for: Self.ids[1], at: now)
        let message = try one.seal3([1], id: "m", at: now)
        #expect(throws: GroupError.unknownChain) { _ = try two.open(message, from: Self.ids[0], at: now) }
        var heldMessages = HeldMessages()
        let sender = SophaxGroup.member(Self.ids[0])
        let decision = heldMessages.hold(
            GroupPayload.version3(message).heldName, from: sender, count: message.encoded.count, at: now)
        #expect(decision == .keep(asks: true))
        #expect(try two.accept(distribution, from: Self.ids[0], at: now) == .stored)
        let released = heldMessages.release(message.place.chain, of: sender)
        #expect(released.map(\.name.number) == [0])
        let opened = try two.open(message, from: Self.ids[0], at: now)
        two = opened.next
        #expect(try two.accept(one.distribution(for: Self.ids[1], at: now), from: Self.ids[0], at: now) == .known)
        #expect(try two.accept(distribution, from: Self.ids[0], at: now) == .known)
        #expect(throws: GroupError.duplicate) { _ = try two.open(message, from: Self.ids[0], at: now) }
    }

    @Test func `a name of 16 digits is that of the member with 32, and the other way round`() throws {
        let names = [Self.ids[0], PeerID("1" + String(repeating: "2", count: 31))!]
        for (stored, used) in [(names, names.map(\.short)), (names.map(\.short), names)] {
            var one = try SophaxGroup("G", own: stored[0], members: stored)
            var two = try SophaxGroup("G", own: used[1], members: used)
            one.prove(stored[1], .given)
            two.prove(used[0], .given)
            _ = try two.accept(one.distribution(for: used[1], at: now), from: stored[0], at: now)
            let message = try one.seal3([1], id: "m", at: now)
            for signer in [stored[0], used[0]] {
                let opened = try two.open(message, from: signer, at: now)
                #expect(opened.body == [1] && opened.status == .consistent)
            }
            #expect(throws: GroupError.notMember) { _ = try two.open(message, from: stored[1], at: now) }
            #expect(throws: GroupError.notMember) {
                _ = try two.accept(one.distribution(for: used[1], at: now), from: used[1], at: now)
            }
            // The heads of an answer name the chain's owner by the other length.
            let opened = try two.open(message, from: used[0], at: now)
            two = opened.next
            _ = try one.accept(two.distribution(for: stored[0], at: now), from: used[1], at: now)
            let answer = try one.open(two.seal3([2], id: "a", at: now), from: used[1], at: now)
            #expect(answer.body == [2] && answer.forked.isEmpty && one.hasProved(used[1]))
            let change = try one.setMembers(used)
            #expect(change.removed.isEmpty && change.added.isEmpty && one.members == stored.sorted())
            #expect(throws: GroupError.malformedMembers) { _ = try one.setMembers(stored + [used[1]]) }
        }
    }

    @Test func `a message of a chain that was replaced is not kept`() throws {
        var one = try Self.group(0, [0, 1])
        var two = try Self.group(1, [0, 1])
        let lost = try one.distribution(for: Self.ids[1], at: now)
        let late = [try one.seal3([0], id: "0", at: now), try one.seal3([1], id: "1", at: now)]
        #expect(throws: GroupError.unknownChain) { _ = try two.open(late[0], from: Self.ids[0], at: now) }
        one.endChain()
        try Self.give(&one, 0, &two, 1)
        // Its distribution would be refused, so it is of no use to wait for it.
        #expect(throws: GroupError.oldGeneration) { _ = try two.accept(lost, from: Self.ids[0], at: now) }
        #expect(throws: GroupError.oldGeneration) { _ = try two.open(late[0], from: Self.ids[0], at: now) }
        one.endChain()
        _ = try one.distribution(for: Self.ids[1], at: now)
        let early = try one.seal3([2], id: "2", at: now)
        #expect(throws: GroupError.unknownChain) { _ = try two.open(early, from: Self.ids[0], at: now) }
    }

    /// L-1.
    @Test func `a message that is missing, exchanged or sent twice is named`() throws {
        let chain = try #require(ChainID([UInt8](0..<16)))
        let boxes = (0..<4).map { GroupBoxes(body: [UInt8](repeating: UInt8($0), count: 30)) }
        var hashes = [Transcript.start(chain)]
        for each in boxes { hashes.append(Transcript.next(hashes.last!, each)) }
        func view(_ order: [Int]) -> TranscriptView {
            var view = TranscriptView(chain: chain, next: 0, hash: hashes[0])
            for index in order { _ = view.add(UInt32(index), previous: hashes[index], boxes[index]) }
            return view
        }
        #expect(view([0, 1, 2, 3]).status == .consistent && view([3, 1, 0, 2]).status == .consistent)
        #expect(view([0, 3]).status == .gap(from: 1, to: 2))
        var exchanged = view([0])
        let status = exchanged.add(1, previous: hashes[1], boxes[2])
        #expect(status == .consistent, "one member alone cannot see it")
        var full = view([0, 1, 2, 3])
        let isOther = full.compare(exchanged.head(of: Self.ids[0]), of: Self.ids[1])
        let again = full.compare(exchanged.head(of: Self.ids[0]), of: Self.ids[2])
        #expect(isOther && again && full.claimant == Self.ids[1])
        #expect(full.status == .consistent, "a member may claim anything")
        let seen = exchanged.add(2, previous: hashes[2], boxes[2])
        #expect(seen == .forked)
        var same = view([0, 1, 2, 3])
        let isSame = !same.compare(view([0, 1]).head(of: Self.ids[0]), of: Self.ids[1])
        #expect(isSame && same.status == .consistent && same.claimant == nil)
    }

    /// L-2.
    @Test func `a sender's clock moves no message`() {
        let orders = [0, -900_000, 900_000, 300_000].enumerated().map { index, skew in
            DisplayOrder(
                received: now + .seconds(index), sequence: UInt64(index),
                claimed: now + .seconds(index) + .milliseconds(skew))
        }
        #expect(orders.sorted().map(\.sequence) == [0, 1, 2, 3])
        #expect(orders.map(\.isSkewed) == [false, true, true, false])
    }

    @Test func `10,000 mutations of a message`() throws {
        let random = SeededRandom(seed: 1)
        var one = try Self.group(0, [0, 1])
        var two = try Self.group(1, [0, 1])
        try Self.give(&one, 0, &two, 1)
        let message = try one.seal3([1], attachment: [2], id: "m", at: now)
        let bytes = message.encoded
        for _ in 0..<10_000 {
            guard case .version3(let read)? = GroupPayload(parsing: random.changed(bytes)) else { continue }
            guard read.place != message.place || read.boxes.body != message.boxes.body else { continue }
            #expect(throws: GroupError.self) { _ = try two.open(read, from: Self.ids[0], at: now) }
        }
    }
}
