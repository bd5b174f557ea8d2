import Encodings
import Foundation
import SessionStore
import Testing
import Threema
import ThreemaForwardSecurity
import ThreemaMessages
import VectorKit

@testable import ThreemaClient

@Suite struct MailboxTests {
    private let home: Household
    private var alice: Side { home.alice }
    private var bob: Side { home.bob }

    init() throws { home = try Household() }

    @Test func `messages are protected by the keys of one side, then by those of both`() throws {
        try alice.send("one", to: bob)
        let first = try bob.receive(alice.sendOutbox())
        #expect(first.map(\.text) == [nil, "one"])
        #expect(first[1].protection == .twoDH)
        try alice.receive(bob.sendOutbox())
        try alice.send("two", to: bob)
        let second = try bob.receive(alice.sendOutbox())
        #expect(second.map(\.text) == ["two"])
        #expect(second[0].protection == .fourDH)
        #expect(try alice.count("outbox") == 0 && bob.count("outbox") == 0)
    }

    @Test func `a message that comes again is discarded and acknowledged`() throws {
        try alice.send("one", to: bob)
        let sent = try alice.sendOutbox()
        let first = try bob.receive(sent)
        try bob.open()
        let rows = try bob.count("nonce")
        let second = try bob.receive(sent)
        for (first, second) in zip(first, second) {
            #expect(second.result.decision == .discard(.nonceReused))
            #expect(second.acknowledgement == first.acknowledgement && second.acknowledgement != nil)
        }
        #expect(try bob.count("nonce") == rows)
        // One Accept, although the Init came twice.
        #expect(try bob.count("outbox") == 1)
    }

    @Test func `a crash before the commit leaves nothing, and the message comes again`() throws {
        try alice.send("one", to: bob)
        for payload in try alice.sendOutbox() {
            let before = try ["nonce", "outbox", "message", "ibex"].map { try bob.count($0) }
            #expect(throws: Crash.self) { _ = try bob.mailbox.receive(payload.span) { _, _ in throw Crash() } }
            try bob.open()
            #expect(try ["nonce", "outbox", "message", "ibex"].map { try bob.count($0) } == before)
            try bob.receive([payload])
        }
        #expect(try bob.count("message") == 1)
        #expect(try bob.mailbox.unsent().count == 1)
    }

    @Test func `after a message that was not stored the mailbox takes none until it comes again`() throws {
        try home.exchange()
        for text in ["one", "two"] { try alice.send(text, to: bob) }
        let sent = try alice.sendOutbox()
        // Messages that change nothing are no failure.
        try bob.receive([[], []])
        let first = sent[0]
        #expect(throws: Crash.self) { _ = try bob.mailbox.receive(first.span) { _, _ in throw Crash() } }
        for payload in sent {
            #expect(throws: MailboxError.connectionOver) { try bob.receive([payload]) }
        }
        #expect(try bob.mailbox.unsent().isEmpty)
        bob.mailbox.restart()
        #expect(try bob.receive(sent).map(\.text) == ["one", "two"])
    }

    @Test func `after a sender that could not be searched for the mailbox takes no message`() throws {
        let home = try Household(areKnown: false)
        try home.alice.mailbox.set(home.bob.contact)
        for text in ["one", "two"] { try home.alice.send(text, to: home.bob) }
        let sent = try home.alice.sendOutbox()
        home.bob.directory[home.alice.id] = home.alice.contact
        home.bob.whenAsked = { throw Crash() }
        #expect(throws: Crash.self) { try home.bob.receive([sent[0]]) }
        home.bob.whenAsked = {}
        #expect(throws: MailboxError.connectionOver) { try home.bob.receive([sent[1]]) }
        home.bob.mailbox.restart()
        #expect(try home.bob.receive(sent).compactMap(\.text) == ["one", "two"])
    }

    @Test func `what the program stores and answers changes with the message`() throws {
        try alice.send("ping", to: bob)
        let sent = try alice.sendOutbox()
        func answer(crashes: Bool) throws {
            for payload in sent {
                _ = try bob.mailbox.receive(payload.span) { incoming, changes in
                    guard let message = incoming.message else { return }
                    try changes.set("seen", message.id.bytes, Span())
                    try bob.mailbox.send(.chat(.text("pong")), to: message.sender, in: changes)
                    if crashes { throw Crash() }
                }
            }
        }
        #expect(throws: Crash.self) { try answer(crashes: true) }
        try bob.open()
        #expect(try bob.count("seen") == 0)
        // The Init was stored before, so only its Accept waits.
        #expect(try bob.mailbox.unsent().count == 1)
        for _ in 0..<2 {
            try bob.open()
            try answer(crashes: false)
        }
        #expect(try bob.count("seen") == 1)
        let received = try alice.receive(bob.sendOutbox())
        #expect(received.compactMap(\.text) == ["pong"])
    }

    @Test func `the outbox is sent with the same bytes after a restart, until it is acknowledged`() throws {
        try alice.send("one", to: bob)
        try alice.send("two", to: bob)
        let sent = try alice.sendOutbox(acknowledges: false)
        #expect(sent.count == 3)
        // Each once on one connection.
        #expect(try alice.mailbox.unsent().isEmpty)
        try alice.open()
        #expect(try alice.sendOutbox(acknowledges: false) == sent)
        alice.mailbox.restart()
        #expect(try alice.sendOutbox() == sent)
        try alice.open()
        #expect(try alice.sendOutbox().isEmpty)
        #expect(try alice.count("outbox") == 0)
        let received = try bob.receive(sent + sent)
        #expect(received.compactMap(\.text) == ["one", "two"])
    }

    @Test func `a connection reads the contacts once, when the outbox is read`() throws {
        try alice.send("one", to: bob)
        let value = bob.contact.encoded
        func set(_ id: [UInt8]) throws {
            try alice.mailbox.store.transaction { changes in
                try changes.set("contactnumber", MessageID(0).bytes, id.span)
                if id.isEmpty {
                    try changes.remove("contact", bob.id.bytes)
                } else {
                    try changes.set("contact", bob.id.bytes, value.span)
                }
            }
        }
        // Whatever looks for all contacts throws from here on: one of them is lost.
        try set([])
        try alice.open()
        alice.mailbox.restart()
        #expect(throws: MailboxError.malformedValue(alice.id)) { try alice.mailbox.unsent() }
        try set(bob.id.bytes)
        let messages = try alice.mailbox.unsent()
        #expect(messages.count == 2)
        try set([])
        #expect(try alice.mailbox.unsent().isEmpty)
        for message in messages { try alice.mailbox.acknowledged(bob.id, message.payload.id) }
        #expect(try alice.count("outbox") == 0)
    }

    @Test func `a step that was not stored is not sent, and the next one uses its key`() throws {
        try alice.send("one", to: bob)
        #expect(throws: Crash.self) {
            try alice.mailbox.store.transaction { changes in
                try alice.mailbox.send(.chat(.text("never")), to: bob.id, in: changes)
                throw Crash()
            }
        }
        try alice.send("two", to: bob)
        let received = try bob.receive(alice.sendOutbox())
        #expect(received.compactMap(\.text) == ["one", "two"])
        #expect(received.last?.event == .message(.twoDH, skipped: 0))
    }

    @Test func `a message of the outbox leaves it after the earlier ones`() throws {
        for text in ["one", "two", "three"] { try alice.send(text, to: bob) }
        let messages = try alice.mailbox.unsent()
        // The Init, and three messages.
        for place in [3, 1, 2] {
            try alice.mailbox.acknowledged(bob.id, messages[place].payload.id)
            #expect(try alice.count("outbox") == 4)
        }
        try alice.mailbox.acknowledged(bob.id, messages[0].payload.id)
        #expect(try alice.count("outbox") == 0)
        // Nothing of the kind waits.
        try alice.mailbox.acknowledged(bob.id, messages[0].payload.id)
        try alice.mailbox.acknowledged(alice.id, .random())
    }

    @Test func `a message that no server acknowledges leaves the outbox when it is written`() throws {
        try home.exchange()
        try alice.mailbox.send(.typing(true), to: bob.id)
        let messages = try alice.mailbox.unsent()
        #expect(messages.map { $0.payload.flags.contains(.noServerAcknowledgement) } == [true])
        #expect(try alice.count("outbox") == 1)
        try alice.mailbox.written(messages)
        #expect(try alice.count("outbox") == 0)
        #expect(try bob.receive(messages.map(\.payload.encoded))[0].message?.body == .typing(true))
    }

    @Test func `more than a window waits until the server has acknowledged`() throws {
        let count = OutboxProgress.window + 10
        try alice.mailbox.store.transaction { changes in
            for _ in 0..<count { try alice.mailbox.send(.chat(.text("x")), to: bob.id, in: changes) }
        }
        let first = try alice.mailbox.unsent()
        #expect(first.count == OutboxProgress.window)
        #expect(try alice.mailbox.unsent().isEmpty)
        try alice.mailbox.acknowledged(bob.id, first[0].payload.id)
        #expect(try alice.mailbox.unsent().map(\.number) == [UInt64(OutboxProgress.window)])
    }

    @Test func `a tampered message is refused, and nothing has changed`() throws {
        try home.exchange()
        try alice.send("one", to: bob)
        let sent = try alice.sendOutbox()[0]
        let kinds: [ValueKind] = ["nonce", "outbox", "message", "contact", "ibex"]
        let before = try kinds.map { try bob.count($0) }
        let record = try bob.mailbox.store.read("ibex", alice.id.bytes)!.copied
        // The metadata box, the nonce, the message box.
        for offset in [64, sent.count / 2, sent.count - 1] {
            var forged = sent
            forged[offset] ^= 1
            let incoming = try bob.receive([forged])[0]
            guard case .discard = incoming.result.decision else {
                Issue.record("delivered")
                return
            }
            #expect(incoming.acknowledgement != nil && incoming.event == nil)
        }
        #expect(try kinds.map { try bob.count($0) } == before)
        #expect(try bob.mailbox.store.read("ibex", alice.id.bytes)!.copied == record)
        #expect(try bob.receive([sent])[0].text == "one")
    }

    @Test func `bytes of any length are refused, and nothing has changed`() throws {
        try alice.send("one", to: bob)
        let sent = try alice.sendOutbox()[0]
        for count in 0..<sent.count { #expect(try bob.receive([Array(sent[..<count])])[0].message == nil) }
        #expect(try bob.count("nonce") == 0 && bob.count("ibex") == 0)
    }

    @Test func `a blocked contact's message is discarded once`() throws {
        var blocked = alice.contact
        blocked.isBlocked = true
        try bob.mailbox.set(blocked)
        try alice.send("one", to: bob)
        let sent = try alice.sendOutbox()
        #expect(try bob.receive(sent)[1].result.decision == .discard(.blocked))
        #expect(try bob.receive(sent)[1].result.decision == .discard(.nonceReused))
    }

    @Test func `a message without an envelope begins a session`() throws {
        var old = bob.contact
        old.forwardSecurity = .unsupportedByContact
        try alice.mailbox.set(old)
        #expect(try alice.mailbox.send(.chat(.text("plain")), to: bob.id) == nil)
        let sent = try alice.sendOutbox()
        let incoming = try bob.receive(sent)
        #expect(incoming.map(\.text) == ["plain"] && incoming[0].unprotected == .noSession)
        #expect(try bob.receive(sent)[0].result.decision == .discard(.nonceReused))
        #expect(try bob.mailbox.unsent().count == 1)

        // Who has turned it off is not told of a session.
        let other = try Household(areKnown: false)
        try other.bob.mailbox.set(Contact(other.alice.id, other.alice.publicKey, forwardSecurity: .disabledHere))
        try other.alice.mailbox.set(
            Contact(other.bob.id, other.bob.publicKey, forwardSecurity: .unsupportedByContact))
        try other.alice.send("plain", to: other.bob)
        #expect(try other.bob.receive(other.alice.sendOutbox())[0].unprotected == .expected)
        #expect(try other.bob.mailbox.unsent().isEmpty)
    }

    @Test func `an idle session is refreshed`() throws {
        try home.exchange()
        try alice.mailbox.refresh()
        #expect(try alice.mailbox.unsent().isEmpty)
        alice.now = Timestamp(milliseconds: alice.now.milliseconds + 24 * 3_600_000)
        try alice.mailbox.refresh()
        let received = try bob.receive(alice.sendOutbox())
        #expect(received.map(\.event) == [.message(.fourDH, skipped: 0)])
    }

    @Test func `a copied store ends its sessions, and the other one goes on`() throws {
        try home.exchange()
        let copy = home.path + "/copy"
        try FileManager.default.createDirectory(
            atPath: copy, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        alice.mailbox.store.close()
        try FileManager.default.copyItem(atPath: alice.path + "/sessions.db", toPath: copy + "/sessions.db")
        try alice.open(at: copy)
        #expect(alice.mailbox.wasCopied)
        let ended = try bob.receive(alice.sendOutbox())
        #expect(ended.map(\.event) == [.ended(.reset)])
        try alice.send("again", to: bob)
        #expect(try bob.receive(alice.sendOutbox()).last?.protection == .twoDH)
        try alice.open(at: copy)
        #expect(!alice.mailbox.wasCopied)
    }
}
