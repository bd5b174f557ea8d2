import Foundation
import Testing
import Threema
import ThreemaForwardSecurity

@testable import ThreemaClient

@Suite struct ResetTests {
    private let home: Household
    private var alice: Side { home.alice }
    private var bob: Side { home.bob }

    init() throws {
        home = try Household()
        try home.exchange()
    }

    /// The record of the sessions with Bob.
    private func damage(_ kind: Damage) throws {
        try alice.damage(kind, .sessions(bob.id))
        #expect(throws: (any Error).self) { try alice.send("not sent", to: bob) }
    }

    @Test(arguments: Damage.allCases) func `a damaged record is replaced, and what waits is sent`(_ kind: Damage) throws
    {
        for text in ["one", "two"] { try alice.send(text, to: bob) }
        try damage(kind)
        try alice.mailbox.resetSessions(with: bob.id)
        // The process dies before anything is sent.
        try alice.open()
        try alice.send("three", to: bob)
        #expect(try bob.receive(alice.sendOutbox()).compactMap(\.text) == ["one", "two", "three"])
        #expect(try alice.count("outbox") == 0)
        try home.settle()
        try alice.send("four", to: bob)
        let received = try bob.receive(alice.sendOutbox())
        #expect(received.compactMap(\.text) == ["four"] && received.last?.protection == .fourDH)
    }

    @Test func `a message that does not open is not overwritten`() throws {
        try alice.send("one", to: bob)
        try alice.damage(.notOpened, .sessions(bob.id), .outbox(bob.id, 0))
        #expect(throws: MailboxError.malformedValue(bob.id)) { try alice.mailbox.resetSessions(with: bob.id) }
        #expect(try alice.count("outbox") == 1)
    }

    @Test(arguments: Damage.allCases) func `an empty outbox goes on on the same connection`(_ kind: Damage) throws {
        try damage(kind)
        for text in ["one", "two"] {
            try alice.mailbox.resetSessions(with: bob.id)
            try alice.send(text, to: bob)
            #expect(try bob.receive(alice.sendOutbox()).compactMap(\.text) == [text])
        }
        #expect(try alice.count("outbox") == 0)
    }

    @Test func `a contact that uses a lost session is told so`() throws {
        try damage(.malformed)
        try bob.send("lost", to: alice)
        let lost = try bob.sendOutbox()
        try alice.mailbox.resetSessions(with: bob.id)
        #expect(try alice.receive(lost).compactMap(\.text).isEmpty)
        let events = try bob.receive(alice.sendOutbox()).compactMap(\.event)
        let isRejected = events.contains { event in
            if case .rejected = event { return true }
            return false
        }
        #expect(isRejected)
        try home.settle()
        try bob.send("again", to: alice)
        #expect(try alice.receive(bob.sendOutbox()).compactMap(\.text) == ["again"])
    }

    @Test func `sessions whose record is sound are terminated`() throws {
        try alice.mailbox.resetSessions(with: bob.id)
        let events = try bob.receive(alice.sendOutbox()).compactMap(\.event)
        #expect(events.contains(.ended(.reset)))
        try home.settle()
        try bob.send("new", to: alice)
        #expect(try alice.receive(bob.sendOutbox()).compactMap(\.text) == ["new"])
    }

    @Test func `a copied store with a damaged record can be opened`() throws {
        try damage(.malformed)
        let copy = home.path + "/copy"
        alice.mailbox.store.close()
        try FileManager.default.copyItem(atPath: alice.path, toPath: copy)
        try alice.open(at: copy)
        #expect(alice.mailbox.wasCopied)
        try alice.send("one", to: bob)
        #expect(try bob.receive(alice.sendOutbox()).compactMap(\.text) == ["one"])
    }

    @Test func `nobody is told who is not known`() throws {
        let stranger = try ThreemaID("STRANGER")
        #expect(throws: MailboxError.unknownContact(stranger)) { try alice.mailbox.resetSessions(with: stranger) }
    }
}
