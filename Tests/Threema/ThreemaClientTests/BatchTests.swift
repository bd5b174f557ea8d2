import AtomicFiles
import Foundation
import SecureMemory
import SessionStore
import Testing
import Threema
import ThreemaMessages

@testable import ThreemaClient

/// Messages that are stored in one transaction. The receiver is Bob; Alice is his contact, and Carol may be one.
@Suite struct BatchTests {
    private let home: Household
    private let carol: Side
    private var alice: Side { home.alice }
    private var bob: Side { home.bob }

    init() throws {
        home = try Household()
        carol = try Side("000CAROL", in: home.path)
        try carol.mailbox.set(home.bob.contact)
    }

    /// Texts of Alice, in a session that both have used.
    private func texts(_ count: Int) throws -> [[UInt8]] {
        try home.exchange()
        for number in 0..<count { try alice.send("\(number)", to: bob) }
        return try alice.sendOutbox()
    }

    /// What a process would find that is started now: the rows in copies of the files.
    private func countOnDisk(_ kind: ValueKind) throws -> Int {
        let copy = home.path + "/" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: copy, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        for name in try FileManager.default.contentsOfDirectory(atPath: bob.path) where !name.hasSuffix("-shm") {
            try FileManager.default.copyItem(atPath: bob.path + "/" + name, toPath: copy + "/" + name)
        }
        let key = SecureBytes(copying: [UInt8](repeating: 5, count: 32).span)
        let store = try OpenSessionStore(
            in: Directory.open(copy, rule: .secret), messenger: "threema", id: bob.id.text, key: key)
        defer { store.close() }
        return try store.count(of: kind)
    }

    @Test func `50 messages are one transaction: all of them are on the disk, or none`() throws {
        let sent = try texts(50)
        let before = try countOnDisk("message")
        var found: Set<Int> = []
        let batch = bob.mailbox.receive(all: sent) { incoming, changes in
            try changes.set("seen", incoming.message!.id.bytes, Span())
            // A process that dies here leaves nothing.
            if found.count < 2 || incoming.text == "49" { found.insert(try countOnDisk("message")) }
        }
        #expect(batch.failure == nil && batch.stored.map(\.text) == (0..<50).map { "\($0)" })
        #expect(found == [before])
        #expect(try countOnDisk("message") == before + 50)
        #expect(try countOnDisk("seen") == 50)
        #expect(batch.stored.allSatisfy { $0.acknowledgement != nil })
        // It dies before the acknowledgements: the server brings all of them again.
        try bob.open()
        let again = bob.mailbox.receive(all: sent)
        #expect(again.stored.allSatisfy { $0.result.decision == .discard(.nonceReused) && $0.acknowledgement != nil })
        #expect(again.stored.count == 50 && again.failure == nil)
        #expect(try countOnDisk("message") == before + 50)
    }

    @Test func `a message that is refused or comes again leaves the others`() throws {
        let sent = try texts(3)
        var forged = sent[1]
        forged[forged.count - 1] ^= 1
        let batch = bob.mailbox.receive(all: [sent[0], forged, [], sent[0], sent[1], sent[2]])
        #expect(batch.failure == nil)
        #expect(batch.stored.map(\.text) == ["0", nil, nil, nil, "1", "2"])
        #expect(batch.stored[3].result.decision == .discard(.nonceReused))
        // Empty bytes name nobody who could be told.
        #expect(batch.stored.map { $0.acknowledgement != nil } == [true, true, false, true, true, true])
        let none = bob.mailbox.receive(all: [])
        #expect(none.stored.isEmpty && none.failure == nil)
    }

    @Test(arguments: [0, 1, 4]) func `a message that cannot be stored leaves the ones before it`(_ place: Int) throws {
        let sent = try texts(5)
        let batch = bob.mailbox.receive(all: sent) { incoming, changes in
            try changes.set("seen", incoming.message!.id.bytes, Span())
            if incoming.text == "\(place)" { throw Crash() }
        }
        #expect(batch.failure is Crash && batch.stored.map(\.text) == (0..<place).map { "\($0)" })
        #expect(try bob.count("seen") == place)
        // The later ones would use up its key.
        let over = bob.mailbox.receive(all: sent)
        #expect(over.stored.isEmpty && over.failure as? MailboxError == .connectionOver)
        #expect(throws: MailboxError.connectionOver) { try bob.receive(sent) }
        bob.mailbox.restart()
        let rest = bob.mailbox.receive(all: Array(sent[place...]))
        #expect(rest.failure == nil && rest.stored.map(\.text) == (place..<5).map { "\($0)" })
    }

    @Test func `a damaged record holds up its own contact's messages`() throws {
        try bob.mailbox.set(carol.contact)
        try carol.send("Hello", to: bob)
        try bob.receive(carol.sendOutbox())
        try carol.receive(bob.sendOutbox())
        let ofAlice = try texts(2)
        try carol.send("again", to: bob)
        let ofCarol = try carol.sendOutbox()
        try bob.mailbox.store.transaction { try $0.set("ibex", carol.id.bytes, [1].span) }
        let sent = [ofAlice[0], ofCarol[0], ofAlice[1]]
        let batch = bob.mailbox.receive(all: sent)
        #expect(batch.failure != nil && batch.stored.map(\.text) == ["0"])
        bob.mailbox.restart()
        try bob.mailbox.resetSessions(with: carol.id)
        let rest = bob.mailbox.receive(all: Array(sent[1...]))
        // What the lost session protects is refused, and Carol is told.
        #expect(rest.failure == nil && rest.stored.map(\.text) == [nil, "1"])
    }

    @Test func `an unknown sender is searched for between transactions, and once`() throws {
        let ofAlice = try texts(2)
        for text in ["one", "two"] { try carol.send(text, to: bob) }
        let sent = try [ofAlice[0]] + carol.sendOutbox() + [ofAlice[1]]
        var asked = 0
        bob.whenAsked = { [bob] in
            asked += 1
            // In a transaction, this would stop the program.
            try bob.mailbox.store.transaction { _ in }
        }
        // Nobody finds her: the others are stored.
        let refused = bob.mailbox.receive(all: sent)
        #expect(refused.failure == nil && refused.stored.map(\.text) == ["0", nil, nil, nil, "1"])
        #expect(asked == 3)
        bob.directory[carol.id] = carol.contact
        let batch = bob.mailbox.receive(all: sent)
        #expect(batch.failure == nil && batch.stored.map(\.text) == [nil, nil, "one", "two", nil])
        #expect(asked == 4)
    }

    @Test func `a search that fails leaves the messages before it`() throws {
        let ofAlice = try texts(2)
        try carol.send("one", to: bob)
        let sent = try [ofAlice[0]] + carol.sendOutbox() + [ofAlice[1]]
        bob.whenAsked = { throw Crash() }
        let batch = bob.mailbox.receive(all: sent)
        #expect(batch.failure is Crash && batch.stored.map(\.text) == ["0"])
        #expect(throws: MailboxError.connectionOver) { try bob.receive(sent) }
    }
}
