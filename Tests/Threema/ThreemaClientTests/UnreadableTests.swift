import Testing
import Threema
import ThreemaForwardSecurity
import ThreemaMessages

@testable import ThreemaClient

/// A message in the outbox that cannot be read stops those behind it, and nothing else. A damaged record of sessions
/// stops the messages to its contact, and nothing else.
@Suite struct UnreadableTests {
    private let home: Household
    private var alice: Side { home.alice }
    private var bob: Side { home.bob }

    init() throws {
        home = try Household()
        try home.exchange()
    }

    /// The numbers of the messages to Bob.
    private func waiting() throws -> Range<UInt64> { try alice.mailbox.conversation(with: bob.id).unsent }

    @Test(arguments: Damage.allCases) func `those behind it wait until it is discarded`(_ kind: Damage) throws {
        let carl = try Side("0000CARL", in: home.path)
        try alice.mailbox.set(carl.contact)
        try carl.mailbox.set(alice.contact)
        try alice.send("one", to: bob)
        let number = try waiting().lowerBound
        try alice.damage(kind, .outbox(bob.id, number))
        try alice.send("two", to: bob)
        try alice.send("to Carl", to: carl)
        for _ in 0..<2 {
            alice.mailbox.restart()
            let sent = try alice.sendOutbox(acknowledges: false)
            let receivers = try sent.map { try MessagePayload(decoding: $0.span).receiver }
            #expect(!receivers.isEmpty && receivers.allSatisfy { $0 == carl.id })
            #expect(alice.mailbox.unreadable == [bob.id: number])
            #expect(try waiting() == number..<number + 2)
        }
        // It goes on with other messages, in both directions.
        try bob.send("from Bob", to: alice)
        #expect(try alice.receive(bob.sendOutbox()).compactMap(\.text) == ["from Bob"])
        try alice.send("three", to: bob)
        #expect(try alice.sendOutbox().isEmpty)

        try alice.mailbox.discardUnreadable(to: bob.id)
        let received = try bob.receive(alice.sendOutbox())
        #expect(received.compactMap(\.text) == ["two", "three"] && received.last?.protection == .fourDH)
        #expect(alice.mailbox.unreadable.isEmpty)
        #expect(try waiting().isEmpty)
        // A second time there is nothing to do.
        try alice.mailbox.discardUnreadable(to: bob.id)
    }

    @Test func `those before it are sent, and acknowledged first`() throws {
        for text in ["one", "two", "three"] { try alice.send(text, to: bob) }
        let first = try waiting().lowerBound
        try alice.damage(.malformed, .outbox(bob.id, first + 1))
        let messages = try alice.mailbox.unsent()
        #expect(messages.map(\.number) == [first] && alice.mailbox.unreadable == [bob.id: first + 1])
        try alice.mailbox.written(messages)
        #expect(throws: OutboxError.notFirst(first + 1, unsent: first..<first + 3)) {
            try alice.mailbox.discardUnreadable(to: bob.id)
        }
        try alice.mailbox.acknowledged(bob.id, messages[0].payload.id)
        #expect(try alice.mailbox.unsent().isEmpty)
        try alice.mailbox.discardUnreadable(to: bob.id)
        let rest = try alice.sendOutbox()
        #expect(try bob.receive(messages.map(\.payload.encoded) + rest).compactMap(\.text) == ["one", "three"])
        #expect(try alice.count("outbox") == 0)
    }

    @Test(arguments: Damage.allCases) func `a damaged record of sessions stops its own contact`(_ kind: Damage) throws {
        let carl = try Side("0000CARL", in: home.path)
        try alice.mailbox.set(carl.contact)
        try carl.mailbox.set(alice.contact)
        try alice.send("one", to: bob)
        try alice.damage(kind, .sessions(bob.id))
        try alice.send("to Carl", to: carl)
        var sent: [[UInt8]] = []
        for _ in 0..<2 {
            alice.mailbox.restart()
            sent = try alice.sendOutbox(acknowledges: false)
            let receivers = try sent.map { try MessagePayload(decoding: $0.span).receiver }
            #expect(!receivers.isEmpty && receivers.allSatisfy { $0 == carl.id })
            #expect(alice.mailbox.unreadableSessions == [bob.id] && alice.mailbox.unreadable.isEmpty)
        }
        #expect(try carl.receive(sent).compactMap(\.text) == ["to Carl"])
        try alice.mailbox.resetSessions(with: bob.id)
        #expect(alice.mailbox.unreadableSessions.isEmpty)
        #expect(try bob.receive(alice.sendOutbox()).compactMap(\.text) == ["one"])
        #expect(alice.mailbox.unreadableSessions.isEmpty)
    }

    @Test func `a client connects although a record of sessions is damaged, and sends what waits after a reset`() throws
    {
        let network = Network(home)
        try alice.send("one", to: bob)
        try alice.damage(.malformed, .sessions(bob.id))
        let (client, stream) = try network.connect(alice)
        #expect(alice.mailbox.unreadableSessions == [bob.id])
        try client.resetSessions(with: bob.id)
        #expect(alice.mailbox.unreadableSessions.isEmpty)
        stream.close()
        #expect(try network.visit(bob).compactMap(\.text) == ["one"])
    }

    @Test func `without forward security, too, what waits is sent after a reset`() throws {
        var contact = bob.contact
        contact.forwardSecurity = .disabledHere
        try alice.mailbox.set(contact)
        try alice.send("one", to: bob)
        try alice.damage(.malformed, .sessions(bob.id))
        #expect(try alice.sendOutbox().isEmpty)
        try alice.mailbox.resetSessions(with: bob.id)
        #expect(try bob.receive(alice.sendOutbox()).compactMap(\.text) == ["one"])
    }

    @Test func `the message that begins a session`() throws {
        try alice.mailbox.resetSessions(with: bob.id)
        let numbers = try waiting()
        for number in numbers { try alice.damage(.malformed, .outbox(bob.id, number)) }
        try alice.send("lost", to: bob)
        for _ in numbers {
            #expect(try alice.sendOutbox().isEmpty)
            try alice.mailbox.discardUnreadable(to: bob.id)
        }
        #expect(try bob.receive(alice.sendOutbox()).compactMap(\.text).isEmpty)
        let events = try alice.receive(bob.sendOutbox()).compactMap(\.event)
        let isRejected = events.contains { if case .rejected = $0 { true } else { false } }
        #expect(isRejected)
        try home.settle()
        try alice.send("again", to: bob)
        #expect(try bob.receive(alice.sendOutbox()).compactMap(\.text) == ["again"])
    }

    // MARK: One contact of several

    @Test func `a damaged contact keeps nobody else from anything, and can be replaced`() throws {
        let carl = try Side("0000CARL", in: home.path)
        try alice.mailbox.set(carl.contact)
        try carl.mailbox.set(alice.contact)
        try alice.send("one", to: bob)
        try alice.damage(.malformed, .contact(bob.id))
        alice.mailbox.restart()
        #expect(throws: MailboxError.malformedValue(bob.id)) { try alice.send("two", to: bob) }
        try alice.send("to Carl", to: carl)
        let group = try GroupRules(own: alice.id).create(
            .random(), members: [bob.id, carl.id], name: "Lake", ids: .random())
        #expect(try alice.mailbox.send(group.sendings) == [bob.id])
        try alice.mailbox.refresh()
        #expect(try alice.mailbox.contacts() == [carl.contact])
        #expect(alice.mailbox.unreadableContacts == [bob.id])
        // What waits is sealed already.
        let sent = try alice.sendOutbox()
        #expect(try carl.receive(sent).compactMap(\.text) == ["to Carl"])
        #expect(try bob.receive(sent).compactMap(\.text) == ["one"])
        try bob.send("from Bob", to: alice)
        let fromBob = try bob.sendOutbox()
        #expect(throws: MailboxError.malformedValue(bob.id)) { try alice.receive(fromBob) }
        alice.mailbox.restart()
        try alice.mailbox.set(bob.contact)
        #expect(try alice.receive(fromBob).compactMap(\.text) == ["from Bob"])
        #expect(try alice.mailbox.contacts() == [bob.contact, carl.contact])
        #expect(alice.mailbox.unreadableContacts.isEmpty)
    }

    @Test(arguments: Damage.allCases) func `damaged sessions keep no message from the rest of a group`(_ kind: Damage)
        throws
    {
        try alice.damage(kind, .sessions(bob.id))
        let carl = try Side("0000CARL", in: home.path)
        try alice.mailbox.set(carl.contact)
        try carl.mailbox.set(alice.contact)
        let group = try GroupRules(own: alice.id).create(
            .random(), members: [bob.id, carl.id], name: "Lake", ids: .random())
        #expect(try alice.mailbox.send(group.sendings) == [bob.id])
        try alice.mailbox.refresh()
        #expect(alice.mailbox.unreadableSessions == [bob.id])
        #expect(try !carl.receive(alice.sendOutbox()).isEmpty)
    }
}
