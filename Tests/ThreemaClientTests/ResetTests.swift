import Foundation
import SessionStore
import Testing
import Threema
import ThreemaForwardSecurity
import VectorKit

@testable import ThreemaClient

@Suite struct ResetTests {
    private let home: Household
    private var alice: Side { home.alice }
    private var bob: Side { home.bob }

    init() throws {
        home = try Household()
        try home.exchange()
    }

    /// How a record is damaged.
    enum Damage: CaseIterable {
        /// It opens, and is none.
        case malformed
        /// It does not open.
        case notOpened
    }

    private func damage(_ kind: Damage, values: String = "'ibex'") throws {
        switch kind {
        case .malformed:
            try alice.mailbox.store.transaction { try $0.set("ibex", bob.id.bytes, [9, 9, 9].span) }
        case .notOpened:
            alice.mailbox.store.close()
            let program = """
                import sqlite3, sys
                database = sqlite3.connect(sys.argv[1])
                database.execute("UPDATE value SET sealed = zeroblob(99) WHERE kind IN (\(values))")
                database.commit()
                database.close()
                """
            _ = try Program.output(of: "/usr/bin/python3", ["-c", program, alice.path + "/sessions.db"])
            try alice.open()
        }
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
        try damage(.notOpened, values: "'ibex', 'outbox'")
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
