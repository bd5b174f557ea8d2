import Testing
import Threema
import ThreemaMessages
import VectorKit

@testable import ThreemaClient

/// Four mailboxes change groups and write to them, meet crashes and repeated messages in a random order, and then a good
/// network. Everybody makes groups.
@Suite struct GroupRunTests {
    private struct Run {
        let home: Household
        let sides: [Side]
        var random: SeededRandom
        /// What is on its way to each side: a chat server's queue, from which a message goes when it is acknowledged.
        var queues: [ThreemaID: [[UInt8]]] = [:]
        var groups: [GroupIdentity] = []
        /// By text: who has to read it, and who has.
        var readers: [String: Set<ThreemaID>] = [:]
        var delivered: [String: [ThreemaID]] = [:]

        init(seed: UInt64) throws {
            home = try Household()
            sides = try [home.alice, home.bob, Side("000CAROL", in: home.path), Side("0000DAVE", in: home.path)]
            random = SeededRandom(seed: seed)
            let directory = Dictionary(uniqueKeysWithValues: sides.map { ($0.id, $0.contact) })
            for side in sides { side.directory = directory }
        }

        mutating func pick() -> Side { sides.randomElement(using: &random)! }

        /// The server knows a message by its sender, its receiver and its ID.
        mutating func flush(_ side: Side, acknowledges: Bool) throws {
            for payload in try side.sendOutbox(acknowledges: acknowledges) {
                let receiver = try MessagePayload(decoding: payload.span).receiver
                guard !queues[receiver, default: []].contains(payload) else { continue }
                queues[receiver, default: []].append(payload)
            }
        }

        mutating func receive(_ side: Side, crashesBefore: Bool = false, crashesAfter: Bool = false) throws {
            guard let payload = queues[side.id, default: []].first else { return }
            do {
                let incoming = try side.mailbox.receive(payload.span) { _, _ in if crashesBefore { throw Crash() } }
                if case .groupChat(_, .text(let text)) = incoming.message?.body {
                    delivered[text, default: []].append(side.id)
                }
            } catch is Crash {
                return try side.open()
            }
            if crashesAfter { return try side.open() }
            queues[side.id]!.removeFirst()
        }

        /// Many at once, of which one may fail: the transaction is undone, and made again without it.
        mutating func receiveMany(_ side: Side, failsAt number: Int) throws {
            let payloads = Array(queues[side.id, default: []].prefix(6))
            var count = 0
            let batch = side.mailbox.receive(all: payloads) { _, _ in
                count += 1
                if count == number { throw Crash() }
            }
            for incoming in batch.stored {
                guard case .groupChat(_, .text(let text)) = incoming.message?.body else { continue }
                delivered[text, default: []].append(side.id)
            }
            queues[side.id]?.removeFirst(batch.stored.count)
            #expect(batch.failure == nil || batch.failure is Crash)
            if batch.failure != nil { side.mailbox.restart() }
        }

        mutating func change(_ number: Int) throws {
            let side = pick()
            let rules = GroupRules(own: side.id)
            let ids = GroupMessageIDs.random()
            var members = sides.map(\.id)
            members.removeAll { _ in Bool.random(using: &random) }
            let known = try side.mailbox.groups().filter { $0.standing == .member }
            let group = known.randomElement(using: &random)
            let isOwn = group?.identity.creator == side.id
            let change: GroupChange
            switch Int.random(in: 0..<5, using: &random) {
            case 0 where group != nil && isOwn:
                change = try rules.update(group!, members: members, ids: ids, now: side.now)
            case 1 where group != nil && isOwn: change = try rules.rename(group!, to: "\(number)", ids: ids)
            case 2 where group != nil && !isOwn: change = try rules.leave(group!, ids: ids)
            case 3 where group != nil && isOwn && number % 3 == 0: change = try rules.disband(group!, ids: ids)
            default:
                change = try rules.create(.random(), members: members, name: "\(number)", ids: ids)
                groups.append(change.group.identity)
            }
            try side.mailbox.make(change)
        }

        mutating func write(_ number: Int) throws {
            let side = pick()
            guard
                let group = try side.mailbox.groups().filter({ $0.standing == .member }).randomElement(using: &random)
            else { return }
            let sendings = try GroupRules(own: side.id).send(.text("\(number)"), to: group, id: .random())
            readers["\(number)"] = Set(sendings.flatMap(\.receivers))
            try side.mailbox.send(sendings)
        }

        mutating func step(_ number: Int) throws {
            switch Int.random(in: 0..<12, using: &random) {
            case 10, 11: try receiveMany(pick(), failsAt: Int.random(in: 1...9, using: &random))
            case 0, 1: try change(number)
            case 2, 3: try write(number)
            case 4: try flush(pick(), acknowledges: true)
            case 5: try flush(pick(), acknowledges: false)
            case 6: try pick().open()
            case 7: try receive(pick(), crashesBefore: true)
            case 8: try receive(pick(), crashesAfter: true)
            default: try receive(pick())
            }
        }

        mutating func settle() throws {
            for side in sides { try side.open() }
            for _ in 0..<20 {
                for side in sides {
                    try flush(side, acknowledges: true)
                    while queues[side.id]?.isEmpty == false { try receive(side) }
                }
            }
            for side in sides { #expect(try side.count("outbox") == 0) }
        }

        /// A leave can cross a setup that names who has left: then he takes himself for a member, and so do others, until
        /// he writes and the creator says again who is in the group.
        mutating func meet() throws {
            for side in sides {
                for group in try side.mailbox.groups() where group.standing == .member {
                    try side.mailbox.send(GroupRules(own: side.id).send(.text("!"), to: group, id: .random()))
                }
            }
            try settle()
            for side in sides {
                for group in try side.mailbox.groups()
                where group.standing == .member && group.identity.creator == side.id {
                    try side.mailbox.make(
                        GroupRules(own: side.id).update(group, members: group.others, ids: .random(), now: side.now))
                }
            }
            try settle()
        }
    }

    @Test(arguments: UInt64(0)..<4) func `groups are the same for all of their members in the end`(
        _ seed: UInt64
    ) throws {
        var run = try Run(seed: seed)
        for number in 0..<100 { try run.step(number) }
        try run.settle()
        let delivered = run.delivered
        try run.meet()
        for identity in run.groups {
            let creator = try #require(run.sides.first { $0.id == identity.creator })
            let original = try #require(try creator.mailbox.group(identity))
            let members = original.standing == .member ? Set(original.others + [creator.id]) : []
            for side in run.sides where side.id != creator.id {
                guard let copy = try side.mailbox.group(identity), copy.standing == .member else {
                    #expect(!members.contains(side.id), "\(side.id) does not know that it is in \(identity)")
                    continue
                }
                #expect(Set(copy.others + [side.id]) == members && copy.name == original.name)
            }
        }
        for (text, readers) in delivered {
            // Nobody reads twice, and nobody reads what was not for him.
            #expect(Set(readers).count == readers.count && Set(readers).isSubset(of: run.readers[text] ?? []))
        }
    }

    @Test(arguments: UInt64(20)..<22) func `while nothing changes, everybody in a group reads everything`(
        _ seed: UInt64
    ) throws {
        var run = try Run(seed: seed)
        for number in 0..<12 { try run.change(number) }
        try run.settle()
        for number in 100..<160 {
            if number % 3 == 0 { try run.write(number) }
            try run.receive(run.pick(), crashesBefore: number % 5 == 0, crashesAfter: number % 7 == 0)
            try run.flush(run.pick(), acknowledges: number % 2 == 0)
            if number % 11 == 0 { try run.pick().open() }
        }
        try run.settle()
        #expect(!run.readers.isEmpty)
        for (text, readers) in run.readers {
            #expect(
                run.delivered[text, default: []].sorted { $0.text < $1.text } == readers.sorted { $0.text < $1.text })
        }
    }
}
