import Encodings
import Testing
import Threema
import ThreemaForwardSecurity
import ThreemaMessages

@testable import ThreemaClient
@testable import ThreemaDirectory

/// Nothing is sent to a contact of whom the directory says that it was revoked. Forward security is used with one that
/// supports it by now.
@Suite struct RevokedTests {
    private let home: Household
    private let directory = States()
    private var alice: Side { home.alice }
    private var bob: Side { home.bob }

    /// A directory that counts how often it was asked.
    private final class States {
        var revoked: Set<ThreemaID> = []
        var features: FeatureMask?
        var asked: [[ThreemaID]] = []
        var isAway = false

        func check(_ ids: [ThreemaID]) throws -> CheckedIdentities {
            asked.append(ids)
            guard !isAway else { throw Crash() }
            return CheckedIdentities(
                checkInterval: 60,
                identities: ids.map {
                    CheckedIdentity(
                        id: $0, state: revoked.contains($0) ? .invalid : .active, kind: .regular,
                        featureMask: features)
                })
        }
    }

    private static let hour: Int64 = 3_600_000

    init() throws {
        home = try Household()
        home.alice.check = directory.check
        try home.alice.open()
    }

    private func wait(hours: Int64) { alice.now = Timestamp(milliseconds: alice.now.milliseconds + hours * Self.hour) }

    private func outbox() throws -> Int { try alice.count("outbox") }

    @Test func `it is asked once a day, whatever interval it names`() throws {
        try alice.send("one", to: bob)
        try alice.send("two", to: bob)
        wait(hours: 23)
        try alice.open()
        try alice.send("three", to: bob)
        #expect(directory.asked == [[bob.id]])
        wait(hours: 1)
        try alice.send("four", to: bob)
        #expect(directory.asked.count == 2)
    }

    @Test func `a revoked contact is refused by a result of its own, until it is valid again`() throws {
        try alice.send("one", to: bob)
        let before = try outbox()
        directory.revoked = [bob.id]
        wait(hours: 24)
        #expect(throws: MailboxError.revokedContact(bob.id)) { try alice.send("two", to: bob) }
        try alice.open()
        #expect(throws: MailboxError.revokedContact(bob.id)) { try alice.send("three", to: bob) }
        #expect(throws: MailboxError.revokedContact(bob.id)) {
            try alice.mailbox.store.transaction { changes in
                _ = try alice.mailbox.send(.chat(.text("four")), to: bob.id, in: changes)
            }
        }
        #expect(try outbox() == before && alice.mailbox.isRevoked(bob.id) && directory.asked.count == 2)
        directory.revoked = []
        wait(hours: 24)
        try alice.send("five", to: bob)
        #expect(try outbox() > before && !alice.mailbox.isRevoked(bob.id))
    }

    @Test func `a transaction asks nobody`() throws {
        directory.revoked = [bob.id]
        try alice.mailbox.store.transaction { changes in
            _ = try alice.mailbox.send(.chat(.text("one")), to: bob.id, in: changes)
        }
        #expect(directory.asked.isEmpty)
        #expect(try alice.mailbox.refreshStates() && alice.mailbox.isRevoked(bob.id))
    }

    @Test func `a group is told without its revoked members`() throws {
        let carl = try ThreemaID("0000CARL")
        try alice.mailbox.set(Contact(carl, home.bob.publicKey))
        directory.revoked = [carl]
        let sending = GroupSending(id: .random(), body: .chat(.text("Saturday?")), receivers: [bob.id, carl])
        #expect(try alice.mailbox.send([sending]) == [carl])
        let (count, asked) = (try outbox(), directory.asked)
        let again = try alice.mailbox.store.transaction { try alice.mailbox.send([sending], in: $0) }
        #expect(try again == [carl] && outbox() > count && directory.asked == asked)
    }

    @Test func `a directory that is away keeps nothing from being sent, and is asked again after an hour`() throws {
        directory.isAway = true
        try alice.send("one", to: bob)
        try alice.send("two", to: bob)
        #expect(try directory.asked.count == 1 && outbox() > 1)
        directory.isAway = false
        directory.revoked = [bob.id]
        wait(hours: 1)
        #expect(throws: MailboxError.revokedContact(bob.id)) { try alice.send("three", to: bob) }
        // The last states count.
        directory.isAway = true
        wait(hours: 48)
        #expect(throws: MailboxError.revokedContact(bob.id)) { try alice.send("four", to: bob) }
    }

    @Test func `contacts are asked for pictures though one was revoked since the last check`() throws {
        let carol = try Side("000CAROL", in: home.path)
        try alice.mailbox.set(carol.contact)
        directory.revoked = [bob.id]
        try alice.mailbox.requestPictures()
        let receivers = try alice.sendOutbox().map { try MessagePayload(decoding: $0.span).receiver }
        #expect(Set(receivers) == [carol.id])
    }

    @Test func `a check in the future proves nothing`() throws {
        wait(hours: 1000)
        try alice.send("one", to: bob)
        wait(hours: -1000)
        try alice.send("two", to: bob)
        #expect(directory.asked.count == 2)
    }

    @Test func `without a check nobody counts as revoked`() throws {
        alice.check = nil
        try alice.open()
        try alice.send("one", to: bob)
        #expect(try directory.asked.isEmpty && !alice.mailbox.refreshStates())
    }

    @Test func `an idle session with a revoked contact is left alone`() throws {
        try home.exchange()
        directory.revoked = [bob.id]
        wait(hours: 48)
        let before = try outbox()
        // It asks by itself.
        try alice.mailbox.refresh()
        #expect(try outbox() == before && alice.mailbox.isRevoked(bob.id) && directory.asked.count == 2)
    }

    @Test(arguments: [false, true]) func `sessions with a revoked contact end, and it is told nothing`(
        _ isDamaged: Bool
    ) throws {
        try home.exchange()
        directory.revoked = [bob.id]
        wait(hours: 24)
        try alice.mailbox.refreshStates()
        if isDamaged { try alice.damage(.malformed, .sessions(bob.id)) }
        let before = try outbox()
        try alice.mailbox.resetSessions(with: bob.id)
        #expect(try outbox() == before)
        directory.revoked = []
        wait(hours: 24)
        // A new session begins.
        #expect(try alice.mailbox.send(.chat(.text("one")), to: bob.id) == .twoDH)
        #expect(try bob.receive(alice.sendOutbox()).compactMap(\.text) == ["one"])
    }

    @Test func `forward security begins with the message after the contact supports it`() throws {
        let before = Contact(bob.id, bob.publicKey, forwardSecurity: .unsupportedByContact)
        try alice.mailbox.set(before)
        directory.features = [.groups, .files]
        #expect(try alice.mailbox.send(.chat(.text("one")), to: bob.id) == nil)
        #expect(try alice.mailbox.contact(bob.id) == before)
        directory.features = [.groups, .files, .forwardSecurity]
        wait(hours: 24)
        #expect(try alice.mailbox.send(.chat(.text("two")), to: bob.id) == .twoDH)
        #expect(try alice.mailbox.contact(bob.id) == bob.contact)
        // An Init of the contact is not refused any more.
        try home.settle()
        #expect(try alice.mailbox.send(.chat(.text("three")), to: bob.id) == .fourDH)
    }

    @Test func `a check neither changes what the user has turned off nor turns anything off`() throws {
        var disabled = bob.contact
        disabled.forwardSecurity = .disabledHere
        try alice.mailbox.set(disabled)
        directory.features = [.forwardSecurity]
        #expect(try alice.mailbox.refreshStates())
        #expect(try alice.mailbox.contact(bob.id) == disabled)
        try alice.mailbox.set(bob.contact)
        for features in [FeatureMask.files, nil] {
            directory.features = features
            wait(hours: 24)
            #expect(try alice.mailbox.refreshStates())
            #expect(try alice.mailbox.contact(bob.id) == bob.contact)
        }
    }

    @Test func `a damaged time of the check is reported`() throws {
        try alice.mailbox.store.transaction { try $0.set("statecheck", [0], [1, 2].span) }
        #expect(throws: MailboxError.malformedValue(alice.id)) { try alice.send("one", to: bob) }
    }
}
