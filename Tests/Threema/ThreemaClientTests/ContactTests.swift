import Foundation
import HTTP
import SessionStore
import Testing
import Threema
import ThreemaDirectory
import ThreemaForwardSecurity
import ThreemaMessages

@testable import ThreemaClient

@Suite struct ContactTests {
    @Test func `a contact is read as it was written`() throws {
        let key = ClientKey.random().publicKey
        for policy in [ForwardSecurityPolicy.enabled, .disabledHere, .unsupportedByContact] {
            for isBlocked in [false, true] {
                let contact = Contact(try ThreemaID("ECHOECHO"), key, forwardSecurity: policy, isBlocked: isBlocked)
                let bytes = contact.encoded
                #expect(bytes.count == Contact.encodedCount)
                #expect(Contact(decoding: bytes.span) == contact)
            }
        }
    }

    @Test func `other bytes are no contact`() throws {
        let bytes = Contact(try ThreemaID("ECHOECHO"), ClientKey.random().publicKey).encoded
        for count in 0..<bytes.count { #expect(Contact(decoding: bytes.span.extracting(0..<count)) == nil) }
        let changes: [(offset: Int, value: UInt8)] = [(0, 0x61), (40, 3), (41, 2)]
        for change in changes {
            var changed = bytes
            changed[change.offset] = change.value
            #expect(Contact(decoding: changed.span) == nil)
        }
        for bytes in [bytes[..<8] + [UInt8](repeating: 0, count: 34), bytes + [0]] {
            let isContact = Contact(decoding: bytes.span) != nil
            #expect(!isContact)
        }
    }

    @Test func `a contact is what the directory says of it`() throws {
        let (id, key) = (try ThreemaID("ECHOECHO"), ClientKey.random().publicKey)
        func contact(features: Int, state: Int, key: [UInt8]) throws -> Contact? {
            let text = Data(key).base64EncodedString()
            let json =
                #"{"identity":"ECHOECHO","publicKey":"\#(text)","featureMask":\#(features),"state":\#(state),"type":0}"#
            return Contact(try DirectoryRequest.fetch(id).answer(HTTPResponse(status: 200, body: Array(json.utf8))))
        }
        #expect(try contact(features: 64, state: 0, key: key.bytes) == Contact(id, key))
        let old = Contact(id, key, forwardSecurity: .unsupportedByContact)
        #expect(try contact(features: 63, state: 1, key: key.bytes) == old)
        #expect(try contact(features: 64, state: 2, key: key.bytes) == nil)
        #expect(try contact(features: 64, state: 0, key: [UInt8](repeating: 0, count: 32)) == nil)
    }

    @Test func `a contact keeps its public key`() throws {
        let home = try Household()
        let forged = Contact(home.bob.id, ClientKey.random().publicKey)
        #expect(throws: MailboxError.otherPublicKey(home.bob.id)) { try home.alice.mailbox.set(forged) }
        #expect(try home.alice.mailbox.contact(home.bob.id) == home.bob.contact)
        var blocked = home.bob.contact
        blocked.isBlocked = true
        try home.alice.mailbox.set(blocked)
        try home.alice.open()
        #expect(try home.alice.mailbox.contacts() == [blocked])
    }

    @Test func `nothing is sent to a contact that was not added`() throws {
        let home = try Household(areKnown: false)
        #expect(throws: MailboxError.unknownContact(home.bob.id)) { try home.alice.send("one", to: home.bob) }
        #expect(try home.alice.mailbox.unsent().isEmpty)
        home.alice.directory[home.bob.id] = home.bob.contact
        try home.alice.send("one", to: home.bob)
        #expect(try home.alice.mailbox.contacts() == [home.bob.contact])
    }

    @Test func `an unknown sender is searched for, and added with its message`() throws {
        let home = try Household(areKnown: false)
        try home.alice.mailbox.set(home.bob.contact)
        try home.alice.send("one", to: home.bob)
        let sent = try home.alice.sendOutbox()
        #expect(
            try home.bob.receive(sent).map(\.result.decision) == [.discard(.invalidSender), .discard(.invalidSender)])
        #expect(try home.bob.mailbox.contacts().isEmpty)

        home.bob.directory[home.alice.id] = home.alice.contact
        let first = sent[0]
        #expect(throws: Crash.self) { _ = try home.bob.mailbox.receive(first.span) { _, _ in throw Crash() } }
        #expect(try home.bob.mailbox.contacts().isEmpty)
        home.bob.mailbox.restart()
        #expect(try home.bob.receive(sent).last?.text == "one")
        #expect(try home.bob.mailbox.contacts() == [home.alice.contact])
        home.bob.directory = [:]
        try home.alice.send("two", to: home.bob)
        #expect(try home.bob.receive(home.alice.sendOutbox()).map(\.text) == ["two"])
    }

    @Test func `a sender whose message does not open is not added`() throws {
        let home = try Household(areKnown: false)
        try home.alice.mailbox.set(home.bob.contact)
        try home.alice.send("one", to: home.bob)
        var sent = try home.alice.sendOutbox()[0]
        sent[sent.count - 1] ^= 1
        home.bob.directory[home.alice.id] = home.alice.contact
        #expect(try home.bob.receive([sent])[0].message == nil)
        #expect(try home.bob.mailbox.contacts().isEmpty && home.bob.count("nonce") == 0)
    }

    @Test func `members that nobody finds are left out of a group's messages`() throws {
        let home = try Household(areKnown: false)
        try home.bob.mailbox.set(home.alice.contact)
        home.alice.directory[home.bob.id] = home.bob.contact
        let strangers = [try ThreemaID("STRANGER"), try ThreemaID("NOBODY00")]
        let rules = GroupRules(own: home.alice.id)
        let change = try rules.create(
            .random(), members: [strangers[0], home.bob.id, strangers[1]], name: "Lake", ids: .random())
        var asked = 0
        home.alice.whenAsked = { asked += 1 }
        let unknown = try home.alice.mailbox.send(change.sendings)
        #expect(Set(unknown) == Set(strangers) && unknown.count == 2)
        #expect(asked == 3)
        #expect(try home.alice.mailbox.contacts() == [home.bob.contact])
        let received = try home.bob.receive(home.alice.sendOutbox())
        #expect(received.compactMap { $0.message?.body.type } == [.groupSetup, .groupName])
        #expect(try home.alice.mailbox.send([]) == [])
    }

    @Test func `a group is told as a whole or not at all`() throws {
        let home = try Household(areKnown: false)
        home.alice.directory[home.bob.id] = home.bob.contact
        let rules = GroupRules(own: home.alice.id)
        let carol = Contact(try ThreemaID("000CAROL"), ClientKey.random().publicKey)
        let change = try rules.create(.random(), members: [home.bob.id, carol.id], name: "Lake", ids: .random())
        func expectNothing() throws {
            #expect(try home.alice.count("outbox") == 0 && home.alice.count("ibex") == 0)
            #expect(try home.alice.mailbox.contacts().isEmpty)
        }
        // One of the members cannot be searched for now.
        var asked = 0
        home.alice.whenAsked = {
            asked += 1
            if asked == 2 { throw Crash() }
        }
        #expect(throws: Crash.self) { try home.alice.mailbox.send(change.sendings) }
        try expectNothing()
        // The last message cannot be sealed.
        home.alice.whenAsked = {}
        let long = try rules.send(.text(String(repeating: "x", count: 9000)), to: change.group, id: .random())
        #expect(throws: SealingError<SessionStoreError>.self) { try home.alice.mailbox.send(change.sendings + long) }
        try expectNothing()
        home.alice.directory[carol.id] = carol
        #expect(try home.alice.mailbox.send(change.sendings) == [])
        #expect(try home.alice.mailbox.contacts().count == 2)
    }

    @Test func `a program's own changes and what a group is told are made together`() throws {
        let home = try Household()
        let stranger = try ThreemaID("STRANGER")
        home.alice.whenAsked = { Issue.record("nobody is searched for in a transaction") }
        let change = try GroupRules(own: home.alice.id).create(
            .random(), members: [home.bob.id, stranger], name: "Lake", ids: .random())
        func tell(crashes: Bool) throws -> [ThreemaID] {
            try home.alice.mailbox.store.transaction { changes in
                try changes.set("group", [1], Array("Lake".utf8).span)
                let unknown = try home.alice.mailbox.send(change.sendings, in: changes)
                if crashes { throw Crash() }
                return unknown
            }
        }
        #expect(throws: Crash.self) { try tell(crashes: true) }
        try home.alice.open()
        #expect(try home.alice.count("outbox") == 0 && home.alice.count("ibex") == 0 && home.alice.count("group") == 0)
        home.alice.whenAsked = { Issue.record("nobody is searched for in a transaction") }
        #expect(try tell(crashes: false) == [stranger])
        // The process dies before anything is sent.
        try home.alice.open()
        let received = try home.bob.receive(home.alice.sendOutbox())
        #expect(received.compactMap { $0.message?.body.type } == [.groupSetup, .groupName])
        #expect(try home.alice.count("group") == 1)
    }

    @Test func `all members get a message with the same time`() throws {
        let home = try Household()
        let carol = try Side("000CAROL", in: home.path)
        try home.alice.mailbox.set(carol.contact)
        try carol.mailbox.set(home.alice.contact)
        let members = [home.bob.id, carol.id]
        let change = try GroupRules(own: home.alice.id).create(
            .random(), members: members, name: "Lake", ids: .random())
        home.alice.tick = 1
        try home.alice.mailbox.send(change.sendings)
        let payloads = try home.alice.mailbox.unsent().map(\.payload)
        let times = try [home.bob, carol].map { side in
            try side.receive(payloads.filter { $0.receiver == side.id }.map(\.encoded)).compactMap(\.message?.createdAt)
        }
        #expect(times[0].count == 2 && times[0] == times[1])
    }

    @Test func `in a program's transaction nobody is searched for`() throws {
        let home = try Household(areKnown: false)
        home.alice.directory[home.bob.id] = home.bob.contact
        func send() throws {
            try home.alice.mailbox.store.transaction {
                _ = try home.alice.mailbox.send(.typing(true), to: home.bob.id, in: $0)
            }
        }
        #expect(throws: MailboxError.unknownContact(home.bob.id)) { try send() }
        try home.alice.mailbox.set(home.bob.contact)
        try send()
    }

    @Test func `a search may change contacts`() throws {
        let home = try Household(areKnown: false)
        home.alice.directory[home.bob.id] = home.bob.contact
        let carol = Contact(try ThreemaID("000CAROL"), ClientKey.random().publicKey)
        // The search takes place before the transaction of the message.
        home.alice.whenAsked = { try home.alice.mailbox.set(carol) }
        try home.alice.send("one", to: home.bob)
        #expect(try home.alice.mailbox.contacts() == [carol, home.bob.contact])
    }
}
