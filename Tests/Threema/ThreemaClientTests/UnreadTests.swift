import Encodings
import SecureMemory
import SessionStore
import Testing
import Threema
import ThreemaForwardSecurity
import ThreemaMessages

@testable import ThreemaClient

/// Alice has sent what Bob cannot read: he has lost the session.
@Suite struct UnreadTests {
    private let home: Household
    private var alice: Side { home.alice }
    private var bob: Side { home.bob }

    init() throws {
        home = try Household()
        try home.exchange()
    }

    private func loseSession() throws {
        try bob.mailbox.store.transaction { try $0.removeAll("ibex") }
        try bob.open()
    }

    /// - Returns: the message that Bob has rejected.
    private func rejected(_ sent: [[UInt8]]) throws -> Rejection? {
        let read = try bob.receive(sent).compactMap(\.message)
        #expect(read.isEmpty)
        for incoming in try alice.receive(bob.sendOutbox()) {
            guard case .rejected(let rejection) = incoming.event else { continue }
            #expect(incoming.notice == .unreadMessage(rejection.messageID))
            return rejection
        }
        return nil
    }

    @Test(arguments: [false, true]) func `what was rejected is sent again, with its ID`(_ restarts: Bool) throws {
        try loseSession()
        try alice.send("Saturday?", to: bob, id: MessageID(5))
        let rejection = try #require(try rejected(alice.sendOutbox()))
        #expect(rejection.messageID == MessageID(5))
        if restarts { try alice.open() }
        #expect(try alice.mailbox.sendAgain(rejection.messageID, to: bob.id))
        let read = try bob.receive(alice.sendOutbox()).compactMap(\.message)
        #expect(read.map(\.body) == [.chat(.text("Saturday?"))] && read.map(\.id) == [MessageID(5)])
        try home.settle()
        // It may be lost once more.
        try loseSession()
        #expect(try alice.mailbox.sendAgain(MessageID(5), to: bob.id))
    }

    @Test func `a contact that has turned forward security off reads what is sent again`() throws {
        var own = alice.contact
        own.forwardSecurity = .disabledHere
        try bob.mailbox.set(own)
        try alice.send("Saturday?", to: bob)
        try bob.receive(alice.sendOutbox())
        try alice.receiveSendingAgain(bob.sendOutbox())
        let read = try bob.receive(alice.sendOutbox())
        #expect(read.compactMap(\.text) == ["Saturday?"])
        #expect(try alice.mailbox.contact(bob.id)?.forwardSecurity == .unsupportedByContact)
        // The next one goes without a session at once.
        try alice.send("Sunday?", to: bob)
        #expect(try bob.receive(alice.sendOutbox()).compactMap(\.text) == ["Sunday?"])
    }

    @Test func `a program sends it again in the transaction of the rejection`() throws {
        try loseSession()
        try alice.send("Saturday?", to: bob)
        try bob.receive(alice.sendOutbox())
        try alice.receiveSendingAgain(bob.sendOutbox())
        #expect(try bob.receive(alice.sendOutbox()).compactMap(\.text) == ["Saturday?"])
    }

    @Test(arguments: DeliveryReceipt.Status.allCases) func `a receipt ends it`(_ status: DeliveryReceipt.Status) throws
    {
        let before = try alice.count("sent")
        try alice.send("one", to: bob, id: MessageID(1))
        try alice.send("two", to: bob, id: MessageID(2))
        try bob.receive(alice.sendOutbox())
        try bob.mailbox.send(.chat(.deliveryReceipt(DeliveryReceipt(status, of: [MessageID(1)]))), to: alice.id)
        try alice.receive(bob.sendOutbox())
        #expect(try alice.count("sent") == before + 1)
        #expect(try !alice.mailbox.sendAgain(MessageID(1), to: bob.id))
        #expect(try alice.mailbox.sendAgain(MessageID(2), to: bob.id))
    }

    @Test func `after 28 days it is forgotten, and not by a clock that is behind`() throws {
        try alice.send("one", to: bob, id: MessageID(1))
        let sent = alice.now.milliseconds
        for (days, isThere) in [(-400, true), (27, true), (28, false)] as [(Int64, Bool)] {
            alice.now = Timestamp(milliseconds: sent + days * 86_400_000)
            try alice.mailbox.refresh()
            #expect(try alice.mailbox.store.contains("sent", bob.id.bytes + MessageID(1).bytes) == isThere)
        }
    }

    @Test func `a value that is malformed goes, and keeps no other`() throws {
        try alice.send("one", to: bob, id: MessageID(1))
        try alice.send("two", to: bob, id: MessageID(2))
        try alice.mailbox.store.transaction { try $0.set("sent", bob.id.bytes + MessageID(1).bytes, [1].span) }
        try alice.mailbox.refresh()
        #expect(try !alice.mailbox.store.contains("sent", bob.id.bytes + MessageID(1).bytes))
        #expect(try alice.mailbox.sendAgain(MessageID(2), to: bob.id))
    }

    @Test func `only what a session protects is kept, and nothing that is soon out of date`() throws {
        var contact = bob.contact
        contact.forwardSecurity = .disabledHere
        let before = try alice.count("sent")
        try alice.mailbox.send(.typing(true), to: bob.id)
        try alice.mailbox.set(contact)
        try alice.send("one", to: bob)
        #expect(try alice.count("sent") == before)
    }

    @Test func `in a group it goes to who has rejected it`() throws {
        let carol = try Side("000CAROL", in: home.path)
        alice.directory[carol.id] = carol.contact
        bob.directory[carol.id] = carol.contact
        let rules = GroupRules(own: alice.id)
        let made = try rules.create(.random(), members: [bob.id, carol.id], name: "Lake", ids: .random())
        try alice.mailbox.make(made)
        try bob.receive(alice.sendOutbox())
        try alice.receive(bob.sendOutbox())
        try loseSession()
        try alice.mailbox.send(rules.send(.text("Saturday?"), to: made.group, id: MessageID(7)))
        let sent = try alice.sendOutbox().filter { try MessagePayload(decoding: $0.span).receiver == bob.id }
        let rejection = try #require(try rejected(sent))
        #expect(rejection.messageID == MessageID(7) && rejection.group == made.group.identity)
        #expect(try alice.mailbox.sendAgain(rejection.messageID, to: bob.id))
        let again = try alice.sendOutbox()
        let receivers = try again.map { try MessagePayload(decoding: $0.span).receiver }
        #expect(Set(receivers) == [bob.id])
        let read = try bob.receive(again).compactMap(\.message).map(\.body)
        #expect(read == [.groupChat(made.group.identity, .text("Saturday?"))])
    }

    private static let session = SessionID([UInt8](repeating: 1, count: 16))

    @Test func `the user is told what the whitepaper names, and nothing else`() {
        let rejection = Rejection(messageID: MessageID(5), cause: .unknownSession, group: nil)
        let told: [(SessionEvent?, UnprotectedMessage?, SessionNotice?)] = [
            (.agreed(Self.session), nil, .newSession), (.began(Self.session, replacing: true), nil, .newSession),
            (.message(.fourDH, skipped: 0), nil, nil), (.message(.twoDH, skipped: 3), nil, .lostMessages(3)),
            (.rejected(rejection), nil, .unreadMessage(MessageID(5))), (.ended(.reset), nil, nil),
            (nil, .downgrade, .unprotectedMessage), (nil, .noSession, nil), (nil, .expected, nil), (nil, nil, nil),
        ]
        for (event, unprotected, notice) in told { #expect(SessionNotice(event, unprotected) == notice) }
    }

    @Test func `a damaged value is named`() throws {
        try alice.send("one", to: bob, id: MessageID(1))
        for bytes in [[], [UInt8](repeating: 1, count: 8), [0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff]] as [[UInt8]] {
            try alice.mailbox.store.transaction { try $0.set("sent", bob.id.bytes + MessageID(1).bytes, bytes.span) }
            #expect(throws: MailboxError.malformedValue(bob.id)) {
                try alice.mailbox.sendAgain(MessageID(1), to: bob.id)
            }
        }
    }
}
