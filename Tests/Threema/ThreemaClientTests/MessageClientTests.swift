import ByteStreams
import StreamKit
import Testing
import Threema
import ThreemaChat
import ThreemaForwardSecurity
import ThreemaMessages

@testable import ThreemaClient

/// Two mailboxes on a chat server in the same thread.
@Suite struct MessageClientTests {
    private let home: Household
    private let serverKey = ServerKey.random()
    private let server: ChatServer
    private let network: LoopbackNetwork

    init() throws {
        home = try Household()
        let keys = [home.alice.id: home.alice.publicKey, home.bob.id: home.bob.publicKey]
        server = ChatServer(key: serverKey) { keys[$0] }
        network = LoopbackNetwork(server)
    }

    private func session(_ side: Side) throws -> (ChatSession, LoopbackStream) {
        let stream = LoopbackStream(network)
        let client = ChatClient(
            identity: side.identity(), serverKeys: [serverKey.publicKey], extensions: try LoginExtensions([]))
        return (try ChatSession(client, on: stream) { [network] in network.now }, stream)
    }

    private func connect(_ side: Side) throws -> MessageClient { try MessageClient(side.mailbox, on: session(side).0) }

    /// Everything that has arrived.
    @discardableResult
    private func receive(_ client: MessageClient) throws -> [MessageClient.Event] {
        var events: [MessageClient.Event] = []
        while let event = try client.receive(within: .zero) { events.append(event) }
        return events
    }

    private func texts(_ events: [MessageClient.Event]) -> [String] {
        events.compactMap { event in
            guard case .received(let incoming) = event else { return nil }
            return incoming.text
        }
    }

    @Test func `two clients exchange messages`() throws {
        let (alice, bob) = (try connect(home.alice), try connect(home.bob))
        let id = MessageID.random()
        #expect(try alice.send(.chat(.text("Hello")), to: home.bob.id, id: id) == .twoDH)
        #expect(try texts(receive(bob)) == ["Hello"])
        #expect(try receive(alice).contains(.acknowledged(home.bob.id, id)))
        #expect(try bob.send(.chat(.text("Hello, too")), to: home.alice.id) == .fourDH)
        #expect(try texts(receive(alice)) == ["Hello, too"])
        try receive(bob)
        for side in [home.alice, home.bob] {
            #expect(try side.count("outbox") == 0)
            #expect(server.queuedCount(for: side.id) == 0)
        }
    }

    @Test func `a process that dies between commit and acknowledgement gets the message again, and discards it`() throws
    {
        let alice = try connect(home.alice)
        try alice.send(.chat(.text("Hello")), to: home.bob.id)
        // Two messages are stored; the connection ends before an acknowledgement leaves.
        let (session, stream) = try session(home.bob)
        var stored = 0
        while stored < 2 {
            guard case .incomingMessage(let bytes) = try #require(try session.receive(within: .zero)) else { continue }
            _ = try home.bob.mailbox.receive(bytes.span)
            stored += 1
        }
        stream.close()
        #expect(server.queuedCount(for: home.bob.id) == 2)
        try home.bob.open()
        let events = try receive(connect(home.bob))
        let decisions = events.compactMap { event -> IncomingResult.Decision? in
            guard case .received(let incoming) = event else { return nil }
            return incoming.result.decision
        }
        #expect(decisions == [.discard(.nonceReused), .discard(.nonceReused)])
        #expect(server.queuedCount(for: home.bob.id) == 0)
        #expect(try home.bob.count("message") == 1)
    }

    @Test func `a message that could not be stored is not acknowledged`() throws {
        let (alice, bob) = (try connect(home.alice), try connect(home.bob))
        try alice.send(.chat(.text("Hello")), to: home.bob.id)
        let kept = server.queuedCount(for: home.bob.id)
        #expect(throws: Crash.self) {
            while try bob.receive(within: .zero, and: { _, _ in throw Crash() }) != nil {}
        }
        #expect(server.queuedCount(for: home.bob.id) == kept)
        try home.bob.open()
        #expect(try texts(receive(connect(home.bob))) == ["Hello"])
    }

    @Test func `a message that is stored is returned, although its acknowledgement cannot be sent`() throws {
        try connect(home.alice).send(.chat(.text("Hello")), to: home.bob.id)
        let (session, stream) = try session(home.bob)
        let bob = try MessageClient(home.bob.mailbox, on: session)
        var events: [MessageClient.Event] = []
        #expect(throws: ChatSessionError.stream(.closed)) {
            while let event = try bob.receive(
                within: .zero, and: { incoming, _ in if incoming.message != nil { stream.close() } })
            { events.append(event) }
        }
        #expect(texts(events) == ["Hello"])
        // The server has no acknowledgement of it, and sends it again.
        #expect(server.queuedCount(for: home.bob.id) == 1)
        #expect(try texts(receive(connect(home.bob))) == [])
        #expect(server.queuedCount(for: home.bob.id) == 0)
        #expect(try home.bob.count("message") == 1)
    }

    @Test func `after a message that could not be stored a client takes and sends nothing more`() throws {
        let alice = try connect(home.alice)
        let bob = try connect(home.bob)
        for text in ["one", "two"] { try alice.send(.chat(.text(text)), to: home.bob.id) }
        #expect(throws: Crash.self) {
            while try bob.receive(within: .zero, and: { _, _ in throw Crash() }) != nil {}
        }
        let waiting = try home.bob.count("outbox")
        #expect(throws: MailboxError.connectionOver) { try bob.receive(within: .zero) }
        #expect(throws: MailboxError.connectionOver) { try bob.send(.chat(.text("no")), to: home.alice.id) }
        #expect(throws: MailboxError.connectionOver) { try bob.send([]) }
        #expect(try home.bob.count("outbox") == waiting)
        #expect(try texts(receive(connect(home.bob))) == ["one", "two"])
        #expect(server.queuedCount(for: home.bob.id) == 0)
    }

    @Test func `after an error of the connection a client takes and sends nothing more`() throws {
        let (session, stream) = try session(home.bob)
        let bob = try MessageClient(home.bob.mailbox, on: session)
        stream.close()
        #expect(throws: ChatSessionError.stream(.closed)) {
            try bob.send(.chat(.text("Hello")), to: home.alice.id)
        }
        let waiting = try home.bob.count("outbox")
        #expect(throws: MailboxError.connectionOver) { try bob.send(.chat(.text("no")), to: home.alice.id) }
        #expect(throws: MailboxError.connectionOver) { try bob.receive(within: .zero) }
        #expect(try home.bob.count("outbox") == waiting)
    }

    @Test func `a receiver that no search finds leaves the client in use`() throws {
        let (alice, bob) = (try connect(home.alice), try connect(home.bob))
        let stranger = try ThreemaID("STRANGER")
        #expect(throws: MailboxError.unknownContact(stranger)) { try alice.send(.typing(true), to: stranger) }
        let change = try GroupRules(own: home.alice.id).create(
            .random(), members: [stranger, home.bob.id], name: "Lake", ids: .random())
        #expect(try alice.send(change.sendings) == [stranger])
        try alice.send(.chat(.text("Hello")), to: home.bob.id)
        #expect(try texts(receive(bob)) == ["Hello"])
    }

    @Test func `sending stores a message, although the outbox before it cannot be read`() throws {
        let alice = try connect(home.alice)
        let carl = try Side("0000CARL", in: home.path)
        try home.alice.mailbox.set(carl.contact)
        home.alice.mailbox.restart()
        try home.alice.mailbox.store.transaction { changes in
            try changes.set("contactnumber", MessageID(1).bytes, Span())
            try changes.remove("contact", carl.id.bytes)
        }
        #expect(try alice.send(.chat(.text("two")), to: home.bob.id) == .twoDH)
        #expect(try home.alice.count("outbox") == 2)
        #expect(throws: MailboxError.connectionOver) { try alice.send(.chat(.text("no")), to: home.bob.id) }
        #expect(throws: MailboxError.malformedValue(home.alice.id)) { try alice.receive(within: .zero) }
        #expect(throws: MailboxError.connectionOver) { try alice.receive(within: .zero) }
        #expect(try home.alice.count("outbox") == 2)
    }

    @Test func `a message that cannot be read is discarded, and the connection goes on`() throws {
        let alice = try connect(home.alice)
        try home.alice.send("one", to: home.bob)
        try home.alice.damage(.malformed, .outbox(home.bob.id, 0))
        try alice.send(.chat(.text("two")), to: home.bob.id)
        #expect(try home.alice.count("outbox") == 3)
        #expect(home.alice.mailbox.unreadable == [home.bob.id: 0])
        try alice.discardUnreadable(to: home.bob.id)
        #expect(home.alice.mailbox.unreadable.isEmpty)
        _ = try receive(alice)
        #expect(try home.alice.count("outbox") == 0)
    }

    @Test func `an acknowledgement is returned, although what waits behind it cannot be sent`() throws {
        let (session, stream) = try session(home.alice)
        let alice = try MessageClient(home.alice.mailbox, on: session)
        let id = MessageID.random()
        try alice.send(.chat(.text("Hello")), to: home.bob.id, id: id)
        // The acknowledgement of the Init is taken; that of the message has arrived with it.
        while case .said = try alice.receive(within: .zero) {}
        try home.alice.send("two", to: home.bob)
        stream.close()
        #expect(try alice.receive(within: .zero) == .acknowledged(home.bob.id, id))
        #expect(throws: ChatSessionError.stream(.closed)) { try alice.receive(within: .zero) }
        #expect(try home.alice.count("outbox") == 1)
        try receive(connect(home.alice))
        #expect(try home.alice.count("outbox") == 0)
    }

    @Test func `the next client sends what a lost connection has not`() throws {
        let (session, stream) = try session(home.alice)
        let alice = try MessageClient(home.alice.mailbox, on: session)
        stream.close()
        #expect(throws: ChatSessionError.stream(.closed)) {
            try alice.send(.chat(.text("Hello")), to: home.bob.id)
        }
        #expect(try home.alice.count("outbox") == 2)
        try home.alice.open()
        try receive(connect(home.alice))
        #expect(try home.alice.count("outbox") == 0)
        #expect(try texts(receive(connect(home.bob))) == ["Hello"])
    }

    @Test func `messages that are there are stored and acknowledged together`() throws {
        let (alice, bob) = (try connect(home.alice), try connect(home.bob))
        for number in 0..<120 { try alice.send(.chat(.text("\(number)")), to: home.bob.id) }
        #expect(try bob.receive(within: .zero) == .said(.queueSendComplete))
        // The Init, and the texts.
        #expect(server.queuedCount(for: home.bob.id) == 121)
        var sizes: [Int] = []
        var all: [MessageClient.Event] = []
        while true {
            let before = server.queuedCount(for: home.bob.id)
            let events = try bob.receive(upTo: 50, within: .zero) { _, _ in
                // Nothing is acknowledged before all is stored.
                #expect(server.queuedCount(for: home.bob.id) == before)
            }
            if events.isEmpty { break }
            sizes.append(events.count)
            all += events
        }
        #expect(texts(all) == (0..<120).map { "\($0)" })
        #expect(sizes[..<2] == [50, 50])
        // The acknowledgement of the Accept comes last.
        #expect(sizes.reduce(0, +) == 122)
        #expect(server.queuedCount(for: home.bob.id) == 0)
    }

    @Test func `a message that could not be stored leaves those before it stored and acknowledged`() throws {
        let (alice, bob) = (try connect(home.alice), try connect(home.bob))
        for number in 0..<20 { try alice.send(.chat(.text("\(number)")), to: home.bob.id) }
        let events = try bob.receive(upTo: 50, within: .zero) { incoming, _ in
            if incoming.text == "12" { throw Crash() }
        }
        #expect(texts(events) == (0..<12).map { "\($0)" })
        #expect(server.queuedCount(for: home.bob.id) == 8)
        #expect(bob.connectionEnd == .stopped)
        #expect(throws: Crash.self) { try bob.receive(within: .zero) }
        #expect(throws: MailboxError.connectionOver) { try bob.receive(upTo: 50, within: .zero) { _, _ in } }
        #expect(try texts(receive(connect(home.bob))) == (12..<20).map { "\($0)" })
        #expect(server.queuedCount(for: home.bob.id) == 0)
    }

    @Test func `messages that are stored together are returned, although no acknowledgement can be sent`() throws {
        let alice = try connect(home.alice)
        for number in 0..<5 { try alice.send(.chat(.text("\(number)")), to: home.bob.id) }
        let (session, stream) = try session(home.bob)
        let bob = try MessageClient(home.bob.mailbox, on: session)
        let events = try bob.receive(upTo: 50, within: .zero) { incoming, _ in
            if incoming.text == "4" { stream.close() }
        }
        #expect(texts(events) == (0..<5).map { "\($0)" })
        #expect(throws: ChatSessionError.stream(.closed)) { try bob.receive(upTo: 50, within: .zero) { _, _ in } }
        #expect(bob.connectionEnd == .network)
        #expect(server.queuedCount(for: home.bob.id) == 6)
        let next = try connect(home.bob)
        #expect(try texts(next.receive(upTo: 50, within: .zero) { _, _ in }) == [])
        #expect(server.queuedCount(for: home.bob.id) == 0)
        #expect(try home.bob.count("message") == 5)
    }

    @Test func `an outbox of more than a window is sent as a whole`() throws {
        let count = 2 * OutboxProgress.window + 1
        try home.alice.mailbox.store.transaction { changes in
            for number in 0..<count {
                try home.alice.mailbox.send(.chat(.text("\(number)")), to: home.bob.id, in: changes)
            }
        }
        try receive(connect(home.alice))
        #expect(try home.alice.count("outbox") == 0)
        #expect(try texts(receive(connect(home.bob))) == (0..<count).map { "\($0)" })
    }
}
