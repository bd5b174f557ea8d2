import Encodings
import Keystore
import SecureMemory
import SophaxChat
import SophaxStorage
import Testing

@testable import MessengerKeeping

private let now = Timestamp(milliseconds: 1_800_000_000_000)

/// A keystore of its own, and identities whose private keys are one byte.
private struct Place {
    let scratch: Scratch
    let keeper: SophaxKeeper

    init() throws {
        scratch = try Scratch()
        keeper = SophaxKeeper(scratch.keystore)
    }

    static func identity(_ byte: UInt8) -> SophaxIdentity {
        SophaxIdentity(
            signing: SecureBytes(copying: [UInt8](repeating: byte, count: 32).span),
            agreement: SecureBytes(copying: [UInt8](repeating: byte &+ 1, count: 32).span))!
    }

    static func id(_ byte: UInt8) throws -> PeerID { identity(byte).peerID }

    static func bare(_ byte: UInt8, verified: [PeerID: String] = [:]) throws -> SophaxAccount {
        try SophaxAccount(identity: identity(byte), username: "name \(byte)", verified: verified)
    }

    static func whole(_ byte: UInt8, at time: Timestamp) throws -> SophaxAccount {
        try SophaxAccount(identity: identity(byte), username: "name \(byte)", prekeys: PrekeyStore(at: time))
    }

    /// Stores an identity without prekeys.
    func added(_ byte: UInt8 = 1) throws -> PeerID {
        let account = try Self.bare(byte)
        #expect(try keeper.store(account, isOnly: true, at: now) == .new)
        return account.peerID
    }

    func content(_ id: PeerID) throws -> [String: [UInt8]] { try scratch.content(.sophaxChat(id)) }
}

@Suite struct SophaxKeeperTests {
    private let place: Place
    private var keeper: SophaxKeeper { place.keeper }

    init() throws { place = try Place() }

    // MARK: Import

    @Test func `the same identity is held, and learns the peers that are missing`() throws {
        let id = try place.added()
        let before = try place.content(id)
        #expect(Set(before.keys) == ["identity"])
        #expect(try keeper.store(Place.bare(1), isOnly: true, at: now) == .held)
        #expect(try place.content(id) == before)
        let peer = Place.identity(7).publicIdentity
        let verified = [peer.peerID: peer.safetyNumber(.version1)]
        let stored = try keeper.store(Place.bare(1, verified: verified), isOnly: true, at: now)
        #expect(stored == .extended(.init(peers: 1, prekeys: .none)))
        #expect(try keeper.summary(id).verifiedCount == 1)
        // A number that is held is not replaced.
        let other = [peer.peerID: "00000 00000 00000 00000 00000 00000"]
        #expect(try keeper.store(Place.bare(1, verified: other), isOnly: true, at: now) == .held)
        #expect(try keeper.verify(peer, by: id) == false)
    }

    @Test func `the same identity learns the prekeys of a copy`() throws {
        let id = try place.added()
        let first = try Place.whole(1, at: now + .days(-1))
        let learned = try keeper.store(first, isOnly: true, at: now)
        guard case .extended(let added) = learned else {
            Issue.record("\(learned)")
            return
        }
        #expect(added.peers == 0 && added.prekeys.signed == 1 && added.prekeys.oneTime == 20)
        let held = try #require(try keeper.summary(id).prekeys)
        #expect(try keeper.store(first, isOnly: true, at: now) == .held)
        // The current signed prekey stays, and that of the copy is kept for old bundles.
        guard case .extended = try keeper.store(Place.whole(1, at: now), isOnly: true, at: now) else {
            Issue.record("other prekeys were not added")
            return
        }
        let all = try #require(try keeper.summary(id).prekeys)
        #expect(all.signed.count == 2 && all.signed.last == held.signed.last && all.oneTimeIDs.count == 40)
    }

    @Test func `another identity is refused, unless it was asked for`() throws {
        let id = try place.added(1)
        let before = try place.content(id)
        let other = try Place.id(2)
        #expect(throws: SophaxKeepingError.otherIdentity(held: id, other: other)) {
            _ = try keeper.store(Place.bare(2), isOnly: true, at: now)
        }
        #expect(try keeper.ids() == [id] && place.content(id) == before)
        #expect(try keeper.store(Place.bare(2), isOnly: false, at: now) == .new)
        #expect(try Set(keeper.ids()) == [id, other] && place.content(id) == before)
        // Each is the only one that its own copy could replace.
        #expect(try keeper.store(Place.bare(2), isOnly: true, at: now) == .held)
    }

    @Test func `a record of another identity is damage`() throws {
        let id = try place.added(1)
        let text = try Place.bare(2).encodedWithoutPrekeys().copied
        try place.scratch.change(.sophaxChat(id), "identity", text)
        for attempt in 0..<2 {
            #expect(throws: KeystoreError.damaged(record: "identity", owner: .sophaxChat(id))) {
                if attempt == 0 { _ = try keeper.summary(id) } else { _ = try keeper.refill(id, at: now) }
            }
        }
        #expect(throws: SophaxKeepingError.noIdentity(try Place.id(3))) { _ = try keeper.summary(Place.id(3)) }
    }

    @Test func `a peer whose number was compared`() throws {
        let id = try place.added()
        let peer = Place.identity(7).publicIdentity
        #expect(try keeper.verify(peer, by: id) == true)
        #expect(try keeper.verify(peer, by: id) == false)
        let number = "00000 00000 00000 00000 00000 00000"
        let wrong = try Place.bare(1, verified: [peer.peerID: number]).encodedWithoutPrekeys().copied
        try place.scratch.change(.sophaxChat(id), "identity", wrong)
        #expect(throws: SophaxKeepingError.otherNumber(peer.peerID)) { _ = try keeper.verify(peer, by: id) }
    }

    // MARK: Prekeys

    @Test func `the first refill makes all prekeys, and the next one none`() throws {
        let id = try place.added()
        #expect(try keeper.summary(id).prekeys == nil)
        let first = try keeper.refill(id, at: now)
        #expect(first.made == 20 && first.isRotated && first.summary.oneTimeIDs.count == 20)
        #expect(first.summary.signed.map(\.made) == [now] && first.summary.newestMade == now)
        let before = try place.content(id)
        let second = try keeper.refill(id, at: now + .days(1))
        #expect(second.made == 0 && !second.isRotated && second.summary == first.summary)
        #expect(try place.content(id) == before)
        #expect(try keeper.summary(id).prekeys == first.summary)
    }

    @Test func `a rotation makes no prekeys`() throws {
        let id = try place.added()
        let before = try place.content(id)
        for isForced in [false, true] {
            #expect(throws: SophaxNoPrekeys(id: id)) { _ = try keeper.rotate(id, isForced: isForced, at: now) }
        }
        #expect(try place.content(id) == before)
    }

    @Test func `a rotation is due after 7 days, or forced`() throws {
        let id = try place.added()
        let first = try keeper.refill(id, at: now).summary
        #expect(try !keeper.rotate(id, isForced: false, at: now + .days(6)).isRotated)
        let second = try keeper.rotate(id, isForced: false, at: now + .days(7))
        #expect(second.isRotated && second.summary.signed.first?.id == first.signed[0].id)
        #expect(second.summary.signed.map(\.replaced) == [now + .days(7), nil])
        for _ in 0..<4 { #expect(try keeper.rotate(id, isForced: true, at: now + .days(7)).isRotated) }
        let before = try place.content(id)
        #expect(throws: SophaxKeepingError.tooManyRotations(due: now + .days(14))) {
            _ = try keeper.rotate(id, isForced: true, at: now + .days(7))
        }
        #expect(try place.content(id) == before)
        #expect(try keeper.rotate(id, isForced: true, at: now + .days(14)).isRotated)
        #expect(try keeper.rotate(id, isForced: false, at: now + .days(21)).summary.signed.count == 3)
    }

    @Test func `times of a clock that was ahead are not stored by an import`() throws {
        let ahead = now + .days(3650)
        let id = try place.added()
        for account in [1, 2] as [UInt8] {
            _ = try keeper.store(Place.whole(account, at: ahead), isOnly: false, at: now)
            #expect(try keeper.summary(Place.id(account)).prekeys?.newestMade == now)
        }
        let isDue = try keeper.rotate(id, isForced: false, at: now + .days(7)).isRotated
        #expect(isDue)
    }

    @Test func `a forced rotation that is refused stores the times that it has moved`() throws {
        let id = try place.added()
        let ahead = now + .days(3650)
        _ = try keeper.refill(id, at: ahead)
        for _ in 0..<5 { _ = try keeper.rotate(id, isForced: true, at: ahead) }
        #expect(throws: SophaxKeepingError.tooManyRotations(due: now + .days(7))) {
            _ = try keeper.rotate(id, isForced: true, at: now)
        }
        #expect(try keeper.summary(id).prekeys?.newestMade == now)
        #expect(try keeper.rotate(id, isForced: false, at: now + .days(7)).isRotated)
    }

    @Test func `a name replaces the one that stands for none`() throws {
        let id = try Place.id(1)
        func account(_ name: String) throws -> SophaxAccount {
            try SophaxAccount(identity: Place.identity(1), username: name)
        }
        let digits = String(id.description.prefix(8))
        #expect(try keeper.store(account(digits), isOnly: true, at: now) == .new)
        let named = SophaxKeeper.Added(peers: 0, prekeys: .none, isNamed: true)
        #expect(try keeper.store(account("alice"), isOnly: true, at: now) == .extended(named))
        for other in ["bob", digits] { #expect(try keeper.store(account(other), isOnly: true, at: now) == .held) }
        #expect(try keeper.summary(id).username == "alice")
    }
}

@Suite struct SophaxLockKeepingTests {
    private let place: Place
    private let id: PeerID
    private var keeper: SophaxKeeper { place.keeper }

    init() throws {
        place = try Place()
        id = try place.added()
    }

    private func pin(_ text: String) -> SecureBytes { SecureBytes(copying: Array(text.utf8).span) }

    private func set(_ text: String, by current: String?, at time: Timestamp = now) throws {
        try keeper.setPIN(pin(text), proving: current.map { HeldPIN(pin($0)) } ?? HeldPIN(), of: id, at: time)
    }

    private func setDuress(_ text: String, by current: String, at time: Timestamp = now) throws {
        try keeper.setDuressPIN(pin(text), proving: HeldPIN(pin(current)), of: id, at: time)
    }

    private func check(_ text: String, at time: Timestamp = now) throws {
        try keeper.checkPIN(pin(text), of: id, at: time)
    }

    private func counts() throws -> PINCounts { try keeper.records(of: id).sophaxCounts() }

    @Test func `a PIN is set without a proof, and changed with one`() throws {
        #expect(throws: SophaxKeepingError.noPIN) { try check("1234") }
        #expect(throws: SophaxKeepingError.noPIN) { try set("1234", by: "0000") }
        #expect(throws: SophaxKeepingError.noPIN) { try setDuress("1234", by: "0000") }
        #expect(throws: PINError.length) { try set("123", by: nil) }
        #expect(try !keeper.hasPIN(id))
        try set("1234", by: nil)
        #expect(try keeper.hasPIN(id) && Set(place.content(id).keys) == ["identity", "pin"])
        let before = try place.content(id)
        #expect(throws: SophaxKeepingError.hasPIN) { try set("5678", by: nil) }
        #expect(try place.content(id) == before)
        #expect(throws: SophaxKeepingError.wrongPIN) { try set("5678", by: "0000") }
        #expect(try place.content(id)["pin"] == before["pin"] && counts().attempts.count == 1)
        try set("5678", by: "1234")
        try check("5678")
        #expect(throws: SophaxKeepingError.wrongPIN) { try check("1234") }
    }

    @Test func `under duress the other PIN stays`() throws {
        try set("1234", by: nil)
        try setDuress("4321", by: "1234")
        try set("9999", by: "4321")
        for known in ["1234", "9999"] { try check(known) }
        #expect(throws: SophaxKeepingError.wrongPIN) { try check("4321") }
        let before = try place.content(id)["pin"]
        try setDuress("7777", by: "9999")
        #expect(try place.content(id)["pin"] == before)
        #expect(throws: PINError.equalPINs) { try set("9999", by: "1234") }
        #expect(try place.content(id)["pin"] == before)
    }

    @Test func `the fifth change of a day changes and counts nothing`() throws {
        try set("1234", by: nil)
        try setDuress("4321", by: "1234")
        #expect(throws: PINError.equalPINs) { try set("4321", by: "1234") }
        try set("1111", by: "4321")
        try set("2222", by: "1111", at: now + .seconds(60))
        let before = try place.content(id)
        for proof in ["1234", "2222", "0000"] {
            #expect(throws: PINError.tooManyChanges(.seconds(86_340))) {
                try set("5555", by: proof, at: now + .seconds(60))
            }
            #expect(throws: PINError.tooManyChanges(.seconds(86_340))) {
                try setDuress("5555", by: proof, at: now + .seconds(60))
            }
        }
        #expect(try place.content(id) == before)
        // A check is no change.
        try check("2222")
        try set("5555", by: "1234", at: now + .days(1))
        try check("5555")
    }

    /// With four failures before, the attempts, the change and the clearing are stored at once.
    @Test func `a change that clears failures`() throws {
        try set("1234", by: nil)
        for _ in 0..<4 { #expect(throws: SophaxKeepingError.wrongPIN) { try check("0000") } }
        try set("5678", by: "1234")
        let counted = try counts()
        #expect(counted.attempts == .none)
        #expect(counted.changes.encoded.count == 8 && counted.clearings.encoded.count == 8)
        #expect(Set(try place.content(id).keys) == ["identity", "pin", "attempts", "changes", "clearings"])
        for _ in 0..<5 { #expect(throws: SophaxKeepingError.wrongPIN) { try check("0000") } }
        for proof in ["5678", "0000"] {
            #expect(throws: PINError.delayed(.seconds(30))) { try set("1111", by: proof) }
            #expect(throws: PINError.delayed(.seconds(30))) { try check(proof) }
        }
        #expect(try counts().changes == counted.changes)
        try check("5678", at: now + .seconds(30))
    }

    @Test(arguments: ["attempts", "changes", "clearings", "pin"] as [RecordName])
    func `a malformed record of the lock checks nothing`(_ name: RecordName) throws {
        try set("1234", by: nil)
        try place.scratch.change(.sophaxChat(id), name, [1])
        let before = try place.content(id)
        #expect(throws: KeystoreError.damaged(record: name.text, owner: .sophaxChat(id))) { try check("1234") }
        #expect(throws: KeystoreError.damaged(record: name.text, owner: .sophaxChat(id))) {
            try set("5678", by: "1234")
        }
        #expect(try place.content(id) == before)
    }
}
