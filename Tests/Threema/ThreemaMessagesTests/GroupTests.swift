import Encodings
import Testing
import Threema

@testable import ThreemaMessages

@Suite struct GroupTests {
    static let alice = try! ThreemaID("000ALICE")
    static let bob = try! ThreemaID("00000BOB")
    static let carol = try! ThreemaID("000CAROL")
    static let dave = try! ThreemaID("0000DAVE")
    static let id = GroupID([1, 2, 3, 4, 5, 6, 7, 8])
    static let ofAlice = GroupIdentity(creator: alice, id: id)
    static let ofBob = GroupIdentity(creator: bob, id: id)
    static let ids = GroupMessageIDs(
        setup: MessageID(1), name: MessageID(2), picture: MessageID(3), callStart: MessageID(4))
    static let now = Timestamp(milliseconds: 1_000_000_000)
    let rules = GroupRules(own: bob)

    private func receive(
        _ body: MessageBody, from sender: ThreemaID, _ group: Group?, last: Timestamp? = nil,
        contacts: Set<ThreemaID> = [alice, carol, dave], invalid: Set<ThreemaID> = []
    ) -> [GroupDecision] {
        let message = Message(from: sender, to: Self.bob, id: MessageID(9), createdAt: Self.now, body: body)
        return rules.receive(
            message,
            GroupRules.Knowledge(
                group: group, lastSyncRequest: last, contacts: contacts, invalid: invalid, now: Self.now, ids: Self.ids)
        )
    }

    private var joined: Group { Group(identity: Self.ofAlice, others: [Self.alice, Self.carol], name: "N") }
    private var left: Group { Group(identity: Self.ofAlice, others: [Self.alice], standing: .left) }
    private var own: Group { Group(identity: Self.ofBob, others: [Self.carol, Self.alice], name: "Mine") }

    @Test func `who has missed the end of a group of the user is told again`() {
        let over = Group(identity: Self.ofBob, others: [Self.alice], standing: .left)
        let farewell = GroupSending(
            id: Self.ids.setup, body: .groupSetup(Self.id, members: []), receivers: [Self.alice])
        #expect(
            receive(.groupChat(Self.ofBob, .text("?")), from: Self.alice, over)
                == [.discard(.left), .send(farewell)])
        #expect(receive(.groupChat(Self.ofAlice, .text("?")), from: Self.alice, left) == [.discard(.left)])
    }

    @Test func `a setup makes the group: each once, without user, with creator`() {
        let members = [Self.carol, Self.bob, Self.carol, Self.alice]
        let new = Group(identity: Self.ofAlice, others: [Self.alice, Self.carol])
        #expect(receive(.groupSetup(Self.id, members: members), from: Self.alice, nil) == [.store(new)])
        #expect(new.others == [Self.alice, Self.carol])
        // The same once more changes nothing.
        #expect(receive(.groupSetup(Self.id, members: members), from: Self.alice, new) == [])
        // Name and picture stay; who has left comes back.
        var back = joined
        back.standing = .left
        #expect(receive(.groupSetup(Self.id, members: members), from: Self.alice, back) == [.store(joined)])
    }

    @Test func `members that nobody knows are looked up, and the valid ones become contacts`() {
        let members = [Self.bob, Self.carol, Self.dave]
        let message = Message(
            from: Self.alice, to: Self.bob, id: MessageID(1), createdAt: Self.now,
            body: .groupSetup(Self.id, members: members))
        #expect(rules.unknownMembers(in: message, contacts: [Self.alice]) == [Self.dave, Self.carol])
        let decisions = receive(
            .groupSetup(Self.id, members: members), from: Self.alice, nil, contacts: [Self.alice], invalid: [Self.dave])
        #expect(
            decisions == [
                .addContacts([Self.carol]),
                .store(Group(identity: Self.ofAlice, others: [Self.alice, Self.carol])),
            ])
    }

    @Test func `a setup without the user removes him`() {
        var gone = joined
        gone.standing = .left
        for members in [[], [Self.carol]] {
            #expect(receive(.groupSetup(Self.id, members: members), from: Self.alice, joined) == [.store(gone)])
            #expect(receive(.groupSetup(Self.id, members: members), from: Self.alice, gone) == [])
            #expect(receive(.groupSetup(Self.id, members: members), from: Self.alice, nil) == [.discard(.unknownGroup)])
        }
    }

    @Test func `the creator of an unknown group is asked, once an hour`() {
        let request = GroupSending(id: MessageID(1), body: .groupSyncRequest(Self.id), receivers: [Self.alice])
        let asking: [GroupDecision] = [
            .send(request), .noteSyncRequest(Self.ofAlice), .discard(.unknownGroup),
        ]
        let bodies: [(MessageBody, ThreemaID)] = [
            (.groupChat(Self.ofAlice, .text("x")), Self.carol), (.groupName(Self.id, "x"), Self.alice),
            (.groupLeave(Self.ofAlice), Self.carol), (.groupPicture(Self.id, nil), Self.alice),
        ]
        for (body, sender) in bodies {
            #expect(receive(body, from: sender, nil) == asking)
            let hour = Duration.hours(1)
            let recently = Timestamp(milliseconds: Self.now.milliseconds - hour.milliseconds + 1)
            #expect(receive(body, from: sender, nil, last: recently) == [.discard(.unknownGroup)])
            let longAgo = Timestamp(milliseconds: Self.now.milliseconds - hour.milliseconds)
            #expect(receive(body, from: sender, nil, last: longAgo) == asking)
            // A clock that was set back.
            #expect(receive(body, from: sender, nil, last: Self.now + .hours(9)) == asking)
        }
        // The user's own group that is unknown: nobody to ask.
        #expect(receive(.groupChat(Self.ofBob, .text("x")), from: Self.carol, nil) == [.discard(.unknownGroup)])
    }

    @Test func `name and picture change what is stored`() {
        var named = joined
        named.name = "New"
        #expect(receive(.groupName(Self.id, "New"), from: Self.alice, joined) == [.store(named)])
        #expect(receive(.groupName(Self.id, "N"), from: Self.alice, joined) == [])
        let picture = RandomMessages.picture()
        var pictured = joined
        pictured.picture = UploadedPicture(message: picture, uploadedAt: Self.now)
        #expect(
            receive(.groupPicture(Self.id, picture), from: Self.alice, joined)
                == [.store(pictured), .fetchPicture(picture)])
        // The same picture again is not stored with another time.
        var older = pictured
        older.picture = UploadedPicture(message: picture, uploadedAt: Timestamp(milliseconds: 1))
        #expect(receive(.groupPicture(Self.id, picture), from: Self.alice, older) == [.fetchPicture(picture)])
        #expect(receive(.groupPicture(Self.id, nil), from: Self.alice, pictured) == [.store(joined)])
        #expect(receive(.groupName(Self.id, "New"), from: Self.alice, left) == [.discard(.left)])
    }

    @Test func `members are shown, others are not`() {
        let body = MessageBody.groupChat(Self.ofAlice, .text("x"))
        #expect(receive(body, from: Self.carol, joined) == [.show(.text("x"))])
        #expect(receive(body, from: Self.alice, joined) == [.show(.text("x"))])
        #expect(receive(body, from: Self.dave, joined) == [.discard(.senderIsNoMember)])
        #expect(receive(body, from: Self.alice, left) == [.discard(.left)])
        // The creator tells an outsider that he is one.
        let farewell = GroupSending(
            id: MessageID(1), body: .groupSetup(Self.id, members: []), receivers: [Self.dave])
        #expect(
            receive(.groupChat(Self.ofBob, .text("x")), from: Self.dave, own)
                == [.discard(.senderIsNoMember), .send(farewell)])
        let start = GroupCallStart(protocolVersion: 1, key: .random(), serverURL: "")
        #expect(receive(.groupCallStart(Self.ofAlice, start), from: Self.carol, joined) == [.showCall(start)])
        #expect(receive(.chat(.text("x")), from: Self.carol, joined) == [.discard(.noGroupMessage)])
    }

    @Test func `leaving`() {
        let body = MessageBody.groupLeave(Self.ofAlice)
        var smaller = joined
        smaller.others = [Self.alice]
        #expect(receive(body, from: Self.carol, joined) == [.store(smaller)])
        #expect(receive(body, from: Self.alice, joined) == [.discard(.senderIsCreator)])
        #expect(receive(body, from: Self.dave, joined) == [.discard(.senderIsNoMember)])
        #expect(receive(body, from: Self.alice, nil) == [.discard(.senderIsCreator)])
        #expect(receive(body, from: Self.carol, left) == [.discard(.left)])
    }

    @Test func `the creator answers a sync request with the state, or with a farewell`() {
        let body = MessageBody.groupSyncRequest(Self.id)
        let members = [Self.alice, Self.carol]
        let answer: [GroupDecision] = [
            .send(
                GroupSending(id: MessageID(1), body: .groupSetup(Self.id, members: members), receivers: [Self.carol])),
            .send(GroupSending(id: MessageID(2), body: .groupName(Self.id, "Mine"), receivers: [Self.carol])),
            .send(GroupSending(id: MessageID(3), body: .groupPicture(Self.id, nil), receivers: [Self.carol])),
        ]
        #expect(receive(body, from: Self.carol, own) == answer)
        let farewell = GroupSending(
            id: MessageID(1), body: .groupSetup(Self.id, members: []), receivers: [Self.dave])
        #expect(receive(body, from: Self.dave, own) == [.send(farewell)])
        #expect(receive(body, from: Self.dave, nil) == [.send(farewell)])
    }

    @Test func `a new group: setup, name, picture`() throws {
        let change = try rules.create(
            Self.id, members: [Self.carol, Self.bob, Self.alice, Self.carol], name: "Mine", picture: uploaded(),
            ids: Self.ids)
        #expect(change.group.others == [Self.alice, Self.carol])
        #expect(change.sendings.map(\.body.type) == [.groupSetup, .groupName, .groupSetPicture])
        #expect(change.sendings.map(\.id) == [MessageID(1), MessageID(2), MessageID(3)])
        #expect(change.sendings.allSatisfy { $0.receivers == [Self.alice, Self.carol] })
        let plain = try rules.create(Self.id, members: [Self.alice], name: "Mine", ids: Self.ids)
        #expect(plain.sendings.map(\.body.type) == [.groupSetup, .groupName])
        #expect(try rules.create(Self.id, members: [Self.bob], name: "Notes", ids: Self.ids).sendings == [])
        let many = (0..<256).map { try! ThreemaID("0000" + "\(1000 + $0)") }
        #expect(throws: GroupChangeError.tooManyMembers(limit: 256, actual: 257)) {
            try rules.create(Self.id, members: many, name: "", ids: Self.ids)
        }
        #expect(
            try rules.create(Self.id, members: Array(many[1...]), name: "", ids: Self.ids).group.others.count == 255)
    }

    @Test func `a change of members: farewells, then the state for the rest`() throws {
        let change = try rules.update(own, members: [Self.carol, Self.dave], ids: Self.ids, now: Self.now)
        #expect(change.group.others == [Self.dave, Self.carol])
        #expect(change.sendings[0].receivers == [Self.alice])
        #expect(change.sendings[0].body == .groupSetup(Self.id, members: []))
        #expect(change.sendings.dropFirst().map(\.body.type) == [.groupSetup, .groupName, .groupDeletePicture])
        #expect(change.sendings.dropFirst().allSatisfy { $0.receivers == [Self.dave, Self.carol] })
        #expect(change.renewal == nil)
        #expect(throws: GroupChangeError.notCreator) {
            try rules.update(joined, members: [], ids: Self.ids, now: Self.now)
        }
    }

    @Test func `only the creator disbands, only others leave`() throws {
        let leaving = try rules.leave(joined, ids: Self.ids)
        #expect(leaving.group.standing == .left)
        #expect(
            leaving.sendings == [
                GroupSending(id: MessageID(1), body: .groupLeave(Self.ofAlice), receivers: [Self.alice, Self.carol])
            ])
        #expect(throws: GroupChangeError.isCreator) { try rules.leave(own, ids: Self.ids) }
        #expect(throws: GroupChangeError.left) { try rules.leave(left, ids: Self.ids) }
        let disbanding = try rules.disband(own, ids: Self.ids)
        #expect(disbanding.sendings.map(\.body) == [.groupSetup(Self.id, members: [])])
        #expect(throws: GroupChangeError.notCreator) { try rules.disband(joined, ids: Self.ids) }
        #expect(throws: GroupChangeError.left) { try rules.rename(disbanding.group, to: "", ids: Self.ids) }
        #expect(throws: GroupChangeError.left) { try rules.send(.text("x"), to: left, id: MessageID(1)) }
        #expect(try rules.send(.text("x"), to: joined, id: MessageID(1)).first?.receivers == joined.others)
        #expect(try rules.rename(own, to: "B", ids: Self.ids).sendings.map(\.id) == [MessageID(2)])
        #expect(try rules.setPicture(own, to: uploaded(), ids: Self.ids).sendings.map(\.id) == [MessageID(3)])
    }

    private func uploaded(ago milliseconds: Int64 = 0) -> UploadedPicture {
        UploadedPicture(
            message: RandomMessages.picture(),
            uploadedAt: Timestamp(milliseconds: Self.now.milliseconds - milliseconds))
    }

    private func pictured(ago milliseconds: Int64) throws -> Group {
        try rules.setPicture(own, to: uploaded(ago: milliseconds), ids: Self.ids).group
    }

    @Test func `a picture that was uploaded a week ago is uploaded again before somebody is told of it`() throws {
        let week = Duration.days(7).milliseconds
        let body = MessageBody.groupSyncRequest(Self.id)
        let fresh = try pictured(ago: week - 1)
        let last = GroupSending(
            id: MessageID(3), body: .groupPicture(Self.id, fresh.picture?.message), receivers: [Self.carol])
        #expect(receive(body, from: Self.carol, fresh).last == .send(last))
        #expect(try rules.update(fresh, members: fresh.others, ids: Self.ids, now: Self.now).renewal == nil)
        // A clock that was set back says nothing about the age.
        for age in [week, 2 * week, -1] {
            let old = try pictured(ago: age)
            let renewal = PictureRenewal(group: Self.ofBob, messageID: MessageID(3), receivers: [Self.carol])
            let decisions = receive(body, from: Self.carol, old)
            #expect(decisions.count == 3 && decisions.last == .renewPicture(renewal))
            let change = try rules.update(old, members: [Self.carol], ids: Self.ids, now: Self.now)
            #expect(change.sendings.map(\.body.type) == [.groupSetup, .groupSetup, .groupName])
            #expect(change.renewal == renewal)
            // Without members nobody is told, so nothing is uploaded.
            #expect(try rules.update(old, members: [], ids: Self.ids, now: Self.now).renewal == nil)
        }
    }

    @Test func `members are told of the new upload`() throws {
        let old = try pictured(ago: Duration.days(8).milliseconds)
        let new = uploaded()
        let renewal = PictureRenewal(group: Self.ofBob, messageID: MessageID(3), receivers: [Self.carol, Self.dave])
        let change = try rules.renewPicture(renewal, of: old, to: new)
        #expect(change.group.picture == new && change.renewal == nil)
        let sending = GroupSending(
            id: MessageID(3), body: .groupPicture(Self.id, new.message), receivers: [Self.carol])
        // Dave is no member any more.
        #expect(change.sendings == [sending])
        #expect(throws: GroupChangeError.noPicture) { try rules.renewPicture(renewal, of: own, to: new) }
        let gone = try rules.disband(old, ids: Self.ids).group
        #expect(throws: GroupChangeError.left) { try rules.renewPicture(renewal, of: gone, to: new) }
    }
}
