import Encodings
import SecureMemory
import SessionStore
import Testing
import Threema
import ThreemaMessages
import ThreemaSafe

@testable import ThreemaClient

/// Groups that mailboxes keep. Alice makes them; Bob is her contact, Carol and Dave are known to the directory.
@Suite struct GroupTests {
    private let home: Household
    private let carol: Side
    private let dave: Side
    private var alice: Side { home.alice }
    private var bob: Side { home.bob }
    private var all: [Side] { [alice, bob, carol, dave] }

    init() throws {
        home = try Household()
        carol = try Side("000CAROL", in: home.path)
        dave = try Side("0000DAVE", in: home.path)
        for side in all { side.directory = Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0.contact) }) }
    }

    private func rules(_ side: Side) -> GroupRules { GroupRules(own: side.id) }

    /// Carries what is in the outboxes, and what is answered, to whom it is for.
    @discardableResult
    private func settle(_ lost: (MessagePayload) -> Bool = { _ in false }) throws -> [Incoming] {
        var received: [Incoming] = []
        for _ in 0..<8 {
            for side in all {
                for payload in try side.sendOutbox() {
                    let decoded = try MessagePayload(decoding: payload.span)
                    guard !lost(decoded), let receiver = all.first(where: { $0.id == decoded.receiver }) else {
                        continue
                    }
                    received += try receiver.receive([payload])
                }
            }
        }
        return received
    }

    /// Alice's group with the others.
    private func makeGroup(_ others: [Side], named name: String = "Lake") throws -> GroupIdentity {
        let change = try rules(alice).create(.random(), members: others.map(\.id), name: name, ids: .random())
        try alice.mailbox.make(change)
        return change.group.identity
    }

    private func members(_ side: Side, _ group: GroupIdentity) throws -> Set<ThreemaID>? {
        try side.mailbox.group(group).map { Set($0.others + [side.id]) }
    }

    @Test func `a new group is the same for all of its members, also after they were started again`() throws {
        let group = try makeGroup([bob, carol])
        try settle()
        for side in [alice, bob, carol] {
            #expect(try members(side, group) == [alice.id, bob.id, carol.id])
            try side.open()
            let stored = try #require(try side.mailbox.group(group))
            #expect(stored.name == "Lake" && stored.standing == .member && stored.picture == nil)
            #expect(try side.mailbox.groups() == [stored])
        }
        #expect(try dave.mailbox.groups() == [])
        // Bob has met Carol by it.
        #expect(try bob.mailbox.contact(carol.id) == carol.contact)
    }

    @Test func `members write to each other, and nobody else to them`() throws {
        let group = try makeGroup([bob, carol])
        try settle()
        let known = try #require(try bob.mailbox.group(group))
        try bob.mailbox.send(try rules(bob).send(.text("Saturday?"), to: known, id: .random()))
        let read = try settle().compactMap(\.message).filter { $0.body == .groupChat(group, .text("Saturday?")) }
        #expect(Set(read.map(\.receiver)) == [alice.id, carol.id])
        let forged = GroupSending(
            id: .random(), body: .groupChat(group, .text("me, too")), receivers: [alice.id, bob.id, carol.id])
        try dave.mailbox.send([forged])
        let refused = try settle().filter { $0.delivered?.sender == dave.id }
        #expect(refused.count == 3 && refused.allSatisfy { $0.message == nil && $0.refusal == .senderIsNoMember })
        // The creator has told him that he is out.
        #expect(try dave.mailbox.groups() == [])
    }

    @Test func `name, members, leaving and the end arrive`() throws {
        let group = try makeGroup([bob, carol])
        try settle()
        var known = try #require(try alice.mailbox.group(group))
        try alice.mailbox.make(try rules(alice).rename(known, to: "Sea", ids: .random()))
        try carol.mailbox.make(try rules(carol).leave(#require(try carol.mailbox.group(group)), ids: .random()))
        try settle()
        #expect(try bob.mailbox.group(group)?.name == "Sea")
        #expect(try carol.mailbox.group(group)?.standing == .left)
        for side in [alice, bob] { #expect(try members(side, group) == [alice.id, bob.id]) }
        known = try #require(try alice.mailbox.group(group))
        try alice.mailbox.make(
            try rules(alice).update(known, members: [carol.id, dave.id], ids: .random(), now: alice.now))
        try settle()
        for side in [alice, carol, dave] { #expect(try members(side, group) == [alice.id, carol.id, dave.id]) }
        #expect(try bob.mailbox.group(group)?.standing == .left)
        known = try #require(try alice.mailbox.group(group))
        try alice.mailbox.make(try rules(alice).disband(known, ids: .random()))
        try settle()
        for side in all { #expect(try side.mailbox.group(group)?.standing == .left) }
        // What it was is still known.
        #expect(try dave.mailbox.group(group)?.name == "Sea")
    }

    @Test func `who has missed the setup asks the creator, once an hour`() throws {
        let group = try makeGroup([bob, carol])
        try settle { $0.receiver == carol.id }
        func write(_ text: String) throws {
            let known = try #require(try bob.mailbox.group(group))
            try bob.mailbox.send(try rules(bob).send(.text(text), to: known, id: .random()))
        }
        var asked = 0
        let isRequest: (MessagePayload) -> Bool = { payload in
            asked += payload.sender == carol.id && payload.receiver == alice.id ? 1 : 0
            return payload.sender == carol.id && payload.receiver == alice.id
        }
        try write("one")
        // The request is lost, and so is what begins the session.
        #expect(try settle(isRequest).contains { $0.refusal == .unknownGroup && $0.message == nil })
        let first = asked
        #expect(first > 0)
        try write("two")
        try settle(isRequest)
        try carol.open()
        try write("three")
        try settle(isRequest)
        #expect(asked == first)
        carol.now = Timestamp(milliseconds: carol.now.milliseconds + 3_600_000)
        try write("four")
        try settle()
        #expect(try members(carol, group) == [alice.id, bob.id, carol.id])
        #expect(try carol.mailbox.group(group)?.name == "Lake")
    }

    @Test func `one sender causes few requests, whatever groups it names`() throws {
        for side in [bob, carol] { try bob.mailbox.set(side.contact) }
        for number in 0..<40 {
            let group = GroupIdentity(creator: carol.id, id: GroupID([UInt8](repeating: UInt8(number), count: 8)))
            try alice.mailbox.send([
                GroupSending(id: .random(), body: .groupChat(group, .text("?")), receivers: [bob.id])
            ])
        }
        let answers = try bob.receive(alice.sendOutbox())
        #expect(answers.filter { $0.refusal == .unknownGroup }.count == 40)
        #expect(try bob.count("groupsync") == SyncRequests.most)
    }

    @Test func `members are searched for between transactions, and messages before are stored`() throws {
        try home.exchange()
        try alice.send("before", to: bob)
        let group = try makeGroup([bob, carol, dave])
        bob.whenAsked = { [bob] in try bob.mailbox.store.transaction { _ in } }
        bob.directory[dave.id] = nil
        let batch = bob.mailbox.receive(all: try alice.sendOutbox())
        #expect(batch.failure == nil && batch.stored.contains { $0.text == "before" })
        // Whom nobody knows is left out.
        #expect(try members(bob, group) == [alice.id, bob.id, carol.id])
    }

    @Test func `a directory that is away leaves the message for later`() throws {
        let group = try makeGroup([bob, carol])
        let sent = try alice.sendOutbox()
        bob.whenAsked = { throw Crash() }
        #expect(throws: Crash.self) { try bob.receive(sent) }
        #expect(try bob.mailbox.group(group) == nil)
        bob.whenAsked = {}
        bob.mailbox.restart()
        try bob.receive(sent)
        #expect(try members(bob, group) == [alice.id, bob.id, carol.id])
    }

    @Test func `a group changes with its message or not at all`() throws {
        let group = try makeGroup([bob])
        var names: [String?] = []
        for payload in try alice.sendOutbox() {
            let before = try bob.mailbox.group(group)
            #expect(throws: Crash.self) {
                _ = try bob.mailbox.receive(payload.span) { _, _ in
                    // In the transaction the program sees the group as the message has left it.
                    names.append(try bob.mailbox.group(group)?.name)
                    throw Crash()
                }
            }
            try bob.open()
            #expect(try bob.mailbox.group(group) == before)
            try bob.receive([payload])
        }
        #expect(names == [nil, "", "Lake"])
        #expect(try bob.mailbox.group(group)?.name == "Lake")
    }

    @Test func `a Safe document takes the groups over, and another mailbox has them from it`() throws {
        let group = try makeGroup([bob, carol])
        let left = try makeGroup([bob], named: "Left")
        try settle()
        try bob.mailbox.make(try rules(bob).leave(#require(try bob.mailbox.group(left)), ids: .random()))
        let json = Array(
            """
            {"info":{"version":1},"user":{},"groups":[
            {"id":"\(group.id.description.uppercased())","creator":"000ALICE","groupname":"Old","members":[],
            "deleted":false,"private":true,"createdAt":1},
            {"id":"0102030405060708","creator":"*GATEWAY","groupname":"Other","members":["00000BOB"],
            "deleted":false},{"id":"x","creator":"y","members":[],"deleted":false}]}
            """.utf8)
        let others = try SafeDocument(JSONScanner.parse(json.span))
        let document = try bob.mailbox.handOverGroups(to: others)
        #expect(document.groups.map(\.name) == ["Lake", "Other", "", "Left"])
        #expect(
            document.groups[0].isPrivate && Set(document.groups[0].members) == ["000ALICE", "00000BOB", "000CAROL"])
        #expect(document.groups[3].members == ["000ALICE"] && document.groups[3].id == left.id.description)
        #expect(try SafeDocument(JSONScanner.parse(document.encoded.span)) == document)
        #expect(try bob.mailbox.handOverGroups(to: document) == document)

        let again = try Side("00000BOB", in: home.path + "/new")
        try again.mailbox.takeOverGroups(of: document)
        #expect(try again.mailbox.group(group) == bob.mailbox.group(group))
        #expect(try again.mailbox.group(left) == bob.mailbox.group(left))
        // Its creator is not in it: it is over.
        let names = try again.mailbox.groups().map { "\($0.name) \($0.standing)" }
        #expect(Set(names) == ["Lake member", "Left left", "Other left"])
        // What the mailbox has is newer than a backup.
        try bob.mailbox.takeOverGroups(of: others)
        #expect(try bob.mailbox.group(group)?.name == "Lake")
    }

    @Test func `a damaged group is named and no other is lost`() throws {
        let group = try makeGroup([bob])
        try alice.mailbox.store.transaction { try $0.set("group", group.bytes, [1, 0, 255].span) }
        #expect(throws: MailboxError.damagedGroup(group)) { try alice.mailbox.group(group) }
        #expect(throws: MailboxError.damagedGroup(group)) { try alice.mailbox.groups() }
    }

    @Test func `a group that was forgotten comes back from its creator`() throws {
        let group = try makeGroup([bob, carol])
        try settle()
        try bob.mailbox.store.transaction { try $0.set("group", group.bytes, [1, 0, 255].span) }
        let known = try #require(try alice.mailbox.group(group))
        try alice.mailbox.send(rules(alice).send(.text("one"), to: known, id: .random()))
        let sent = try alice.sendOutbox()
        let toBob = try sent.filter { try MessagePayload(decoding: $0.span).receiver == bob.id }
        #expect(throws: MailboxError.damagedGroup(group)) { try bob.receive(toBob) }
        try bob.mailbox.forget(group)
        bob.mailbox.restart()
        #expect(try bob.mailbox.group(group) == nil && bob.receive(toBob).compactMap(\.message).isEmpty)
        #expect(try bob.count("groupsync") == 1)
        try settle()
        #expect(try members(bob, group) == [alice.id, bob.id, carol.id] && bob.mailbox.group(group)?.name == "Lake")
        // The time of the request is kept as long as it forbids another one.
        try bob.mailbox.refresh()
        #expect(try bob.count("groupsync") == 1)
        bob.now = bob.now + .hours(1)
        try bob.mailbox.refresh()
        #expect(try bob.count("groupsync") == 0)
        // A damaged one does not keep the rest from being refreshed.
        try bob.mailbox.store.transaction { try $0.set("groupsync", group.bytes, [1].span) }
        try bob.mailbox.refresh()
        #expect(try bob.count("groupsync") == 0)
    }
}

/// The record of a group.
@Suite struct GroupRecordTests {
    private static let identity = GroupIdentity(
        creator: try! ThreemaID("000ALICE"), id: GroupID([1, 2, 3, 4, 5, 6, 7, 8]))

    private static var groups: [Group] {
        get throws {
            let picture = UploadedPicture(
                message: PictureMessage(
                    blobID: BlobID([UInt8](repeating: 7, count: 16)), encryptedSize: 1234, key: .random()),
                uploadedAt: Timestamp(milliseconds: 1_700_000_000_000))
            let others = try ["000ALICE", "0000DAVE", "*GATEWAY"].map { try ThreemaID($0) }
            return [
                Group(identity: identity, others: []), Group(identity: identity, others: others, name: "Lake ⛵️"),
                Group(identity: identity, others: others, name: "", picture: picture, standing: .left),
            ]
        }
    }

    private func bytes(_ group: Group) -> [UInt8] { group.encoded().withBytes { $0.revealBytes() } }

    @Test func `a record has all of a group`() throws {
        for group in try Self.groups {
            #expect(Group(decoding: bytes(group).span, of: Self.identity) == group)
        }
        #expect(bytes(try Self.groups[0]) == [1, 0, 0, 0, 0, 0, 0])
    }

    @Test func `no other bytes are a record`() throws {
        for group in try Self.groups {
            let whole = bytes(group)
            for count in 0..<whole.count {
                let part = Array(whole[..<count])
                let read = Group(decoding: part.span, of: Self.identity)
                #expect(read == nil || bytes(read!) == part)
            }
            // Whatever is read is written the same way.
            for _ in 0..<4000 {
                var changed = whole
                changed[Int.random(in: 0..<whole.count)] = UInt8.random(in: 0...255)
                guard let read = Group(decoding: changed.span, of: Self.identity) else { continue }
                #expect(bytes(read) == changed)
            }
        }
    }
}
