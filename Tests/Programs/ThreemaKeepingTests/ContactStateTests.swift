import Encodings
import SecureMemory
import Testing
import Threema
import ThreemaDirectory
import ThreemaSafe

@testable import ThreemaKeeping

/// What a directory has said of contacts: what it means, and the record of it.
@Suite struct ContactStateTests {
    private static let own = try! ThreemaID("ABCD1234")
    private static let friend = try! ThreemaID("FRIEND01")
    private static let other = try! ThreemaID("OTHER001")
    private static let stranger = try! ThreemaID("STRANGER")
    private static let (ownKey, friendKey, otherKey) = (key(1), key(2), key(3))
    private static let known: Set<ThreemaID> = [own, friend, other]
    private static let day = Timestamp(milliseconds: 1_800_000_000_000)

    private static func key(_ number: UInt8) -> PublicKey {
        PublicKey([number] + [UInt8](repeating: 7, count: 31))!
    }

    private static let document = SafeDocument.empty
        .addingContact(friend, friendKey, level: .fullyVerified, firstName: "", lastName: "", createdAt: day)
        .addingContact(other, otherKey, level: .unverified, firstName: "", lastName: "", createdAt: day)

    private static func states(_ answers: [ThreemaID: ContactStates.Answer], isAll: Bool = true) -> ContactStates {
        var states = ContactStates.none
        states.enter(answers, of: known, isAll: isAll, at: day)
        return states
    }

    private static let sound: [ThreemaID: ContactStates.Answer] = [
        own: .init(state: .active, publicKey: ownKey), friend: .init(state: .active, publicKey: friendKey),
        other: .init(state: .inactive, publicKey: otherKey),
    ]

    private static func findings(_ states: ContactStates, _ contacts: [SafeContact]? = nil) -> ContactFindings {
        ContactFindings(states, of: own, ownKey, contacts ?? document.contacts)
    }

    private static func decoded(_ record: some Sequence<UInt8>) -> ContactStates? {
        let bytes = Array(record)
        return ContactStates(decoding: bytes.span)
    }

    private static func changed(_ id: ThreemaID, _ state: IdentityState, _ key: PublicKey?) -> ContactStates {
        states(sound.merging([id: .init(state: state, publicKey: key)]) { _, new in new })
    }

    // MARK: Findings

    @Test func `nothing is known before the first check`() {
        let findings = Self.findings(.none)
        #expect(findings.findings.isEmpty && findings.result == .fine && ContactStates.none.allAskedAt == nil)
    }

    @Test func `the identity comes first, then its contacts in their order`() {
        let findings = Self.findings(Self.states(Self.sound))
        #expect(findings.findings.map(\.id) == [Self.own, Self.friend, Self.other])
        #expect(findings.findings.map(\.kind) == [.sound, .sound, .inactive] && findings.result == .fine)
        #expect(findings.findings.map(\.isOwn) == [true, false, false])
    }

    @Test func `a revoked contact counts until it is acknowledged or removed`() {
        var states = Self.changed(Self.friend, .invalid, nil)
        #expect(Self.findings(states).result == .revoked([Self.friend]))
        #expect(Self.findings(states, []).result == .fine)
        #expect(states.acknowledge(Self.friend) && !states.acknowledge(Self.other))
        #expect(Self.findings(states).result == .fine)
        #expect(Self.findings(states).findings[1].kind == .revoked(isAcknowledged: true))
    }

    @Test func `an acknowledgement ends when the contact is valid again`() {
        var states = Self.changed(Self.friend, .invalid, nil)
        _ = states.acknowledge(Self.friend)
        let revoked: [ThreemaID: ContactStates.Answer] = [Self.friend: .init(state: .invalid, publicKey: nil)]
        states.enter(revoked, of: Self.known, isAll: false, at: Self.day)
        #expect(Self.findings(states).result == .fine)
        states.enter(Self.sound, of: Self.known, isAll: true, at: Self.day)
        states.enter(revoked, of: Self.known, isAll: false, at: Self.day)
        #expect(Self.findings(states).result == .revoked([Self.friend]))
    }

    @Test func `another key, and one that nobody can have, are alarms whatever else is found`() {
        for key in [Self.otherKey, nil] {
            var states = Self.changed(Self.friend, .active, key)
            let finding = ContactFindings.Finding(
                id: Self.friend, isOwn: false, kind: .otherKey(held: Self.friendKey, directory: key))
            #expect(Self.findings(states).result == .alarm([finding]))
            let revoked: [ThreemaID: ContactStates.Answer] = [Self.other: .init(state: .invalid, publicKey: nil)]
            states.enter(revoked, of: Self.known, isAll: false, at: Self.day)
            #expect(Self.findings(states).result == .alarm([finding]))
        }
    }

    @Test func `the identity itself: revoked or with another key, nothing acknowledges it`() {
        var states = Self.changed(Self.own, .invalid, nil)
        _ = states.acknowledge(Self.own)
        guard case .alarm(let alarms) = Self.findings(states).result else { return #expect(Bool(false)) }
        #expect(alarms.map(\.id) == [Self.own])
        guard case .alarm = Self.findings(Self.changed(Self.own, .active, Self.otherKey)).result else {
            return #expect(Bool(false))
        }
    }

    @Test func `of several entries of one contact, another key in any is another key`() {
        let twice =
            Self.document.contacts
            + SafeDocument.empty.addingContact(
                Self.friend, Self.otherKey, level: .unverified, firstName: "", lastName: "", createdAt: Self.day
            ).contacts
        let findings = Self.findings(Self.states(Self.sound), twice)
        #expect(findings.findings.map(\.id) == [Self.own, Self.friend, Self.other])
        #expect(findings.findings[1].kind == .otherKey(held: Self.otherKey, directory: Self.friendKey))
    }

    @Test func `findings about some contacts keep the identity itself`() {
        let findings = Self.findings(Self.changed(Self.friend, .invalid, nil))
        #expect(findings.about([Self.other]).result == .fine)
        #expect(findings.about([Self.other]).findings.map(\.id) == [Self.own, Self.other])
        #expect(findings.about(nil) == findings)
    }

    @Test func `changes are what is new, and what is over`() {
        let (sound, revoked) = (
            Self.findings(Self.states(Self.sound)), Self.findings(Self.changed(Self.friend, .invalid, nil))
        )
        #expect(sound.changes(since: Self.findings(.none)).isEmpty)
        #expect(revoked.changes(since: Self.findings(.none)).map(\.id) == [Self.friend])
        #expect(revoked.changes(since: sound).map(\.id) == [Self.friend])
        #expect(revoked.changes(since: revoked).isEmpty)
        #expect(sound.changes(since: revoked).map(\.kind) == [.sound])
        // Inactive is nothing to act on.
        let active = Self.findings(Self.changed(Self.other, .active, Self.otherKey))
        #expect(active.changes(since: sound).isEmpty && sound.changes(since: active).isEmpty)
    }

    // MARK: The record

    @Test func `contacts that are gone are forgotten, and strangers not stored`() {
        var states = Self.states(Self.sound)
        states.enter(
            [Self.stranger: .init(state: .active, publicKey: Self.otherKey)], of: [Self.own, Self.friend],
            isAll: false, at: Self.day)
        #expect(states[Self.other] == nil && states[Self.stranger] == nil && states[Self.friend] != nil)
        #expect(states.allAskedAt == Self.day && Self.states(Self.sound, isAll: false).allAskedAt == nil)
    }

    @Test func `the record has its layout`() {
        var states = ContactStates.none
        states.enter(
            [
                Self.friend: .init(state: .active, publicKey: Self.friendKey),
                Self.own: .init(state: .invalid, publicKey: nil),
            ], of: Self.known, isAll: true, at: Timestamp(milliseconds: 0x0102_0304_0506))
        _ = states.acknowledge(Self.own)
        let time: [UInt8] = [0, 0, 1, 2, 3, 4, 5, 6]
        let own = Array("ABCD1234".utf8) + [0b1010] + [UInt8](repeating: 0, count: 32) + time
        let friend = Array("FRIEND01".utf8) + [0b100] + Self.friendKey.bytes + time
        #expect(states.encoded == [1] + time + own + friend)
        #expect(Self.decoded(states.encoded) == states)
        #expect(Self.decoded(ContactStates.none.encoded) == ContactStates.none)
    }

    @Test func `a record that is cut, longer, out of order or of another version is none`() {
        let record = Self.states(Self.sound).encoded
        for count in 0..<record.count where count != 9 && count != 9 + 49 && count != 9 + 98 {
            #expect(Self.decoded(Array(record.prefix(count))) == nil, "\(count) bytes")
        }
        let entries = [Array(record[9..<58]), Array(record[58..<107])]
        #expect(Self.decoded(record.prefix(9) + entries[1] + entries[0]) == nil)
        #expect(Self.decoded(record.prefix(9) + entries[0] + entries[0]) == nil)
        // Version; state 3; an unknown bit; acknowledged but active; a key without its bit; a letter of no ID.
        for (offset, byte) in [(0, 2), (17, 7), (17, 0b10100), (17, 0b1100), (17, 0), (9, 0x61)] {
            var changed = record
            changed[offset] = UInt8(byte)
            #expect(Self.decoded(changed) == nil, "byte \(offset)")
        }
        // A key that nobody can have.
        var low = record
        low.replaceSubrange(18..<50, with: [UInt8](repeating: 0, count: 32))
        #expect(Self.decoded(low) == nil)
    }
}
