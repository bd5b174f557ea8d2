import Encodings
import HTTP
import SecureMemory
import SessionStore
import Testing
import Threema
import ThreemaForwardSecurity
import ThreemaMessages
import ThreemaSafe

@testable import ThreemaClient
@testable import ThreemaDirectory

/// What a contact can send to make a mailbox stand still, or work without end. Bob is hostile, Alice receives.
@Suite struct HostileTests {
    private let home: Household
    private var alice: Side { home.alice }
    private var bob: Side { home.bob }

    init() throws { home = try Household() }

    private func id(_ number: Int) throws -> ThreemaID { try ThreemaID("X\(1_000_000 + number)") }

    private func reject(_ id: MessageID) throws {
        let rejection = Rejection(messageID: id, cause: .unknownSession, group: nil)
        let envelope = Envelope(session: SessionID([UInt8](repeating: 1, count: 16)), content: .reject(rejection))
        try bob.mailbox.send(.forwardSecurity(envelope.encoded), to: alice.id)
    }

    /// A bot that sends again what is rejected.
    private func answer() throws {
        try alice.receiveSendingAgain(bob.sendOutbox())
    }

    @Test func `a setup of 255 strangers is received, though the directory answers 10 requests at a time`() throws {
        let group = GroupID.random()
        let members = try (0..<254).map(id)
        try bob.mailbox.send(.groupSetup(group, members: members + [alice.id]), to: alice.id)
        let sent = try bob.sendOutbox()
        for number in 0..<100 { alice.directory[members[number]] = Contact(members[number], bob.publicKey) }
        var (asked, tries) = (0, 0)
        var isReceived = false
        while !isReceived, tries < 40 {
            tries += 1
            asked = 0
            alice.whenAsked = {
                asked += 1
                if asked > 10 { throw Crash() }
            }
            alice.mailbox.restart()
            isReceived = alice.mailbox.receive(all: sent).failure == nil
        }
        #expect(isReceived && tries == 26)
        let known = try alice.mailbox.group(GroupIdentity(creator: bob.id, id: group))
        #expect(known?.others.count == 101)
    }

    @Test func `receipts for unknown groups make nobody search`() throws {
        let receipt = DeliveryReceipt(.read, of: [.random()])
        for number in 0..<40 {
            let group = GroupIdentity(creator: try id(number), id: .random())
            try bob.mailbox.send(.groupChat(group, .deliveryReceipt(receipt)), to: alice.id)
        }
        var asked = 0
        alice.whenAsked = { asked += 1 }
        let received = try alice.receive(bob.sendOutbox())
        #expect(received.filter { $0.refusal == .unknownGroup }.count == 40)
        #expect(asked == 0)
    }

    @Test(arguments: [(300, 4), (2, 6001), (2, 2_000_000)])
    func `a group of a Safe document that no message can tell of is left out`(_ members: Int, _ length: Int) throws {
        let ids = try (0..<members).map(id) + [bob.id, alice.id]
        let document = SafeDocument.empty.settingGroup(
            "0102030405060708", of: alice.id, name: String(repeating: "n", count: length), members: ids,
            createdAt: alice.now)
        try alice.mailbox.takeOverGroups(of: document)
        let group = GroupID([1, 2, 3, 4, 5, 6, 7, 8])
        try bob.mailbox.send(.groupSyncRequest(group), to: alice.id)
        try alice.receive(bob.sendOutbox())
        #expect(try alice.mailbox.groups() == [])
    }

    @Test func `who was revoked rejects a message, and it is received`() throws {
        try home.exchange()
        try alice.send("Saturday?", to: bob, id: MessageID(5))
        _ = try alice.sendOutbox()
        alice.check = { ids in
            CheckedIdentities(
                checkInterval: 60,
                identities: ids.map { CheckedIdentity(id: $0, state: .invalid, kind: .regular, featureMask: nil) })
        }
        try alice.open()
        try alice.mailbox.refreshStates()
        try reject(MessageID(5))
        try answer()
        #expect(try alice.count("outbox") == 0)
    }

    @Test(arguments: [(ForwardSecurityPolicy.enabled, 4), (.disabledHere, 1)])
    func `a message that is rejected without end is not sent again without end`(
        _ policy: ForwardSecurityPolicy, _ count: Int
    ) throws {
        try home.exchange()
        try alice.send("Saturday?", to: bob, id: MessageID(5))
        _ = try alice.sendOutbox()
        try alice.mailbox.set(Contact(bob.id, bob.publicKey, forwardSecurity: policy))
        for _ in 0..<100 { try reject(MessageID(5)) }
        try answer()
        let again = try alice.sendOutbox().filter { try MessagePayload(decoding: $0.span).id == MessageID(5) }
        #expect(again.count == count)
    }

    @Test(arguments: [false, true]) func `what a group was told is sent again as it is now`(_ isRemoved: Bool) throws {
        try home.exchange()
        let rules = GroupRules(own: alice.id)
        let (ids, text) = (GroupMessageIDs.random(), MessageID(7))
        let made = try rules.create(.random(), members: [bob.id], name: "Old", ids: ids)
        let (group, id) = (made.group, made.group.identity.id)
        try alice.mailbox.make(made)
        try alice.mailbox.send(rules.send(.text("Saturday?"), to: group, id: text))
        let later =
            isRemoved
            ? try rules.update(group, members: [], ids: .random(), now: alice.now)
            : try rules.rename(group, to: "New", ids: .random())
        try alice.mailbox.make(later)
        _ = try alice.sendOutbox()
        for id in [ids.setup, ids.name, text] { try reject(id) }
        try answer()
        let told = try bob.receive(alice.sendOutbox()).compactMap(\.delivered).map(\.body)
        let bodies: [MessageBody] = [
            .groupSetup(id, members: [bob.id]), .groupName(id, "New"), .groupChat(group.identity, .text("Saturday?")),
        ]
        #expect(told == (isRemoved ? [.groupSetup(id, members: [])] : bodies))
    }

    @Test func `IDs that the directory does not know delay nothing`() throws {
        alice.whenAsked = { throw DirectoryFailure.service(.unknownIdentity) }
        let group = GroupID.random()
        try bob.mailbox.send(.groupSetup(group, members: [alice.id, id(1)]), to: alice.id)
        let claimed = GroupIdentity(creator: try id(2), id: .random())
        try bob.mailbox.send(.groupChat(claimed, .text("Who?")), to: alice.id)
        #expect(try alice.receive(bob.sendOutbox()).compactMap(\.delivered).count == 2)
        #expect(try alice.mailbox.group(GroupIdentity(creator: bob.id, id: group))?.others == [bob.id])
    }

    @Test(arguments: 0..<3) func `a name of a group can be handed over to a Safe document`(_ number: Int) throws {
        let name = ["a\u{0}b", String(repeating: "\u{0}", count: 6000), "\u{feff}e\u{301}\r\n"][number]
        try bob.mailbox.send(.groupSetup(.random(), members: [alice.id]), to: alice.id)
        let setup = try #require(try alice.receive(bob.sendOutbox()).compactMap(\.delivered?.group).first)
        try bob.mailbox.send(.groupName(setup.id, name), to: alice.id)
        try alice.receive(bob.sendOutbox())
        #expect(try alice.mailbox.group(setup)?.name == name)
        let document = try alice.mailbox.handOverGroups(to: .empty)
        let read = try SafeDocument(JSONScanner.parse(document.encoded.span))
        #expect(read.groups.map(\.name) == [name.replacing("\u{0}", with: "")])
    }

    @Test func `a long name that a creator has sent is taken over`() throws {
        let members = [alice.id, bob.id]
        let document = SafeDocument.empty.settingGroup(
            "0102030405060708", of: bob.id, name: String(repeating: "n", count: 6990), members: members,
            createdAt: alice.now)
        try alice.mailbox.takeOverGroups(of: document)
        #expect(try alice.mailbox.groups().map(\.name.utf8.count) == [6990])
    }
}
