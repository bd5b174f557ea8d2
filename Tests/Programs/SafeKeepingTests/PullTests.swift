import SafeKeepingKit
import SafeKit
import SafeRules
import Encodings
import Keystore
import SafeWire
import SecureMemory
import Testing
import Threema
import ThreemaRecords
import ThreemaSafe

@testable import SafeKeeping

@Suite struct PullTests {
    private let house: Household

    init() throws {
        house = try Household()
    }

    /// A keystore without identity, at the same server.
    private func emptyHouse() throws -> Household { try Household(sharing: house.server, isEmpty: true) }

    /// What stands on the server, taken over with the keys of the Safe and nothing else.
    private func restore(
        _ other: Household, _ change: (inout SafeKeeper.KeepOptions) -> Void = { _ in }
    ) throws {
        var options = SafeKeeper.KeepOptions()
        change(&options)
        let access = SafeAccess(
            id: Household.id, target: Household.target(house.server), server: house.server, isFromPassword: true)
        let fetched = try access.fetch()
        try other.safe.keep(fetched, from: access, options)
    }

    @Test func `an empty machine has everything again`() throws {
        try house.push()
        let other = try emptyHouse()
        try restore(other)
        #expect(try other.profile() == Household.document())
        #expect(try other.clientKey() == [UInt8](repeating: 0xcc, count: 32))
        // What was pulled is what was last uploaded: nothing is due.
        let result = try other.push()
        #expect(result.outcome == .unchanged)
        try other.change(to: Household.document("second"))
        other.advance(.hours(23))
        let next = try other.push()
        #expect(next.outcome == .uploaded)
        #expect(next.upload?.generation == 2)
    }

    @Test func `with the password alone`() throws {
        let house = try Household(isSetUp: false)
        let password = secret("shootdeathstar")
        _ = try house.safe.setUpSafe(
            Household.main, at: SafeEndpoint(house.server.address), password: password, test: nil)
        try house.push()
        let access = try SafeAccess(
            to: Household.id, at: SafeEndpoint(house.server.address), password: password,
            connect: { _, _ in house.server })
        let fetched = try access.fetch()
        #expect(fetched.backup.document == Household.document())
        #expect(fetched.backup.writerInfo?.generation == 1)
        let other = try Household(sharing: house.server, isEmpty: true)
        try other.safe.keep(fetched, from: access, SafeKeeper.KeepOptions())
        #expect(try other.profile() == Household.document())
        let result = try other.push()
        #expect(result.outcome == .unchanged)
    }

    @Test func `without the setup it keeps identity and profile only`() throws {
        try house.push()
        let other = try emptyHouse()
        try restore(other) { $0.isKeepingSetup = false }
        #expect(try other.profile() == Household.document())
        #expect(throws: SafeKeepingError.noSetup(id: "ABCD1234")) { try other.push() }
    }

    @Test func `an app's backup does not say when it was uploaded`() throws {
        house.server.backups[Household.place] = try Household.appBackup(Household.document("phone"))
        let other = try emptyHouse()
        try restore(other)
        let result = try other.push()
        #expect(result.outcome == .uploaded)
    }

    @Test func `where the server does not say how long it keeps a backup, the next push asks`() throws {
        try house.push()
        let config = house.server.served
        let other = try emptyHouse()
        house.server.served = nil
        try restore(other)
        house.server.served = config
        let result = try other.push()
        #expect(result.outcome == .uploaded)
    }

    @Test func `where nothing is, nothing is pulled`() throws {
        let noBackup = SafeKeepingError.noBackup(id: "ABCD1234", server: "file:///memory", isFromPassword: false)
        #expect(throws: noBackup) { try house.pull() }
        let other = try emptyHouse()
        #expect(
            throws: SafeKeepingError.noBackup(id: "ABCD1234", server: "file:///memory", isFromPassword: true)
        ) { try restore(other) }
        let ids = try other.keystore.threemaIDs()
        #expect(ids == [])
    }

    @Test func `what is damaged is not pulled, and stores nothing`() throws {
        try house.push()
        var blob = try #require(house.server.backups[Household.place])
        blob[50] ^= 1
        house.server.backups[Household.place] = blob
        #expect(throws: SafeBackupError.notAuthentic) { try house.pull() }
        let other = try emptyHouse()
        #expect(throws: SafeBackupError.notAuthentic) { try restore(other) }
        let ids = try other.keystore.threemaIDs()
        #expect(ids == [])
    }

    @Test func `an older backup than was seen is refused`() throws {
        try house.push()
        let older = house.server.backups
        try house.push { $0.isForced = true }
        house.server.backups = older
        #expect(throws: Household.refusal(.olderBackup(found: 1, seen: 2))) { try house.pull() }
        // That the server went back is noted.
        #expect(try house.state().safe?.state.finding == .older)
        try house.pull { $0.isReplacing = true }
        // From here on it is the one that counts; the numbers go on from the highest.
        try house.pull()
        let result = try house.push { $0.isForced = true }
        #expect(result.upload?.generation == 3)
    }

    @Test func `an older backup with older content is refused, too`() throws {
        try house.push()
        let older = house.server.backups
        try house.change(to: Household.document("second"))
        try house.push { $0.isForced = true }
        house.server.backups = older
        #expect(throws: Household.refusal(.olderBackup(found: 1, seen: 2))) { try house.pull() }
        #expect(try house.profile() == Household.document("second"))
    }

    @Test func `changes that were not uploaded are not lost`() throws {
        try house.push()
        try house.change(to: Household.document("second"))
        let unpushed = Household.refusal(.unpushedChanges)
        #expect(throws: unpushed) { try house.pull() }
        #expect(try house.profile() == Household.document("second"))
        try house.pull { $0.isReplacing = true }
        #expect(try house.profile() == Household.document())
    }

    @Test func `nor where the state that would know of them is lost`() throws {
        try house.push()
        try house.change(to: Household.document("second"))
        house.stateFile = nil
        #expect(throws: Household.refusal(.unpushedChanges)) { try house.pull() }
    }

    @Test func `nor where there never was a setup`() throws {
        try house.push()
        let other = try Household(sharing: house.server, isSetUp: false)
        try other.change(to: Household.document("other"))
        #expect(throws: Household.refusal(.unpushedChanges, .named)) { try restore(other) }
        #expect(SafeFailure.unpushedChanges.waysOut(.named) == [.replacing])
        // A profile that is empty, or the same, loses nothing.
        try other.change(to: .empty)
        try restore(other)
        #expect(try other.profile() == Household.document())
    }

    @Test func `nor what another process changes between two tries`() throws {
        try house.push()
        let other = try Household(sharing: house.server)
        try other.change(to: .empty)
        house.server.misbehave { number, _ in number == 0 ? .refused(.unavailable("file:///memory")) : nil }
        house.server.retry { try? other.change(to: Household.document("other")) }
        #expect(throws: Household.refusal(.unpushedChanges)) { try other.pull() }
        #expect(try other.profile() == Household.document("other"))
    }

    @Test(arguments: [false, true]) func `what a restore replaces is in the history`(isOtherKey: Bool) throws {
        house.server.backups[Household.place] = try Household.appBackup(
            Household.document("phone"), key: isOtherKey ? 0x11 : 0xcc)
        var options = SafeKeeper.KeepOptions()
        (options.isReplacing, options.isReplacingKey) = (true, isOtherKey)
        func nicknames() throws -> [String?] {
            try house.safe.history(of: Household.main).map {
                try house.safe.earlierBackup($0.number, of: Household.main).document.nickname
            }
        }
        try restore(house) { $0 = options }
        #expect(try house.profile() == Household.document("phone"))
        #expect(try nicknames() == ["first"])
        let generation = try house.safe.earlierBackup(1, of: Household.main).writerInfo?.generation
        #expect(generation == 1)
        // The same for a backup of a file. Entries of one time are in the order of their digests.
        house.advance(.seconds(1))
        let backup = try house.safe.earlierBackup(1, of: Household.main)
        options.isReplacingKey = true
        _ = try house.safe.restore(backup, of: Household.id, options)
        #expect(try house.clientKey() == [UInt8](repeating: 0xcc, count: 32))
        #expect(try nicknames() == ["phone", "first"])
    }

    @Test func `an uploaded profile gives way to a newer backup`() throws {
        try house.push()
        let other = try emptyHouse()
        try restore(other)
        try other.change(to: Household.document("other"))
        other.advance(.hours(23))
        try other.push()
        try house.pull()
        #expect(try house.profile() == Household.document("other"))
        let state = try house.state()
        #expect(state.safe?.state.generation == 2)
    }

    @Test func `another private key is not replaced unasked`() throws {
        house.server.backups[Household.place] = try Household.appBackup(Household.document("phone"), key: 0x11)
        let refusal = Household.refusal(.otherKey)
        #expect(throws: refusal) { try house.pull() }
        #expect(throws: refusal) { try house.pull { $0.isReplacing = true } }
        #expect(try house.clientKey() == [UInt8](repeating: 0xcc, count: 32))
        #expect(try house.profile() == Household.document())
        // Another key is one thing, changes that were never uploaded are another.
        #expect(throws: Household.refusal(.unpushedChanges)) { try house.pull { $0.isReplacingKey = true } }
        try house.pull {
            $0.isReplacing = true
            $0.isReplacingKey = true
        }
        #expect(try house.clientKey() == [UInt8](repeating: 0x11, count: 32))
        #expect(try house.profile() == Household.document("phone"))
    }

    @Test func `a backup of another place leaves setup and state as they are`() throws {
        try house.push()
        let before = house.stateFile
        let other = Household.target(house.server, 8)
        let place = other.keys.backupID.hex
        let identity = Household.identity()
        house.server.backups[place] = try SafeBackup.seal(
            identity.clientKey, Profile(Household.document("elsewhere")), writerInfo: nil, keys: Household.safeKeys(8))
        let access = SafeAccess(id: Household.id, target: other, server: house.server, isFromPassword: true)
        let fetched = try access.fetch()
        var options = SafeKeeper.KeepOptions()
        // Nobody can say which of the two is newer.
        #expect(throws: Household.refusal(.otherProfile, .named)) {
            try house.safe.keep(fetched, from: access, options)
        }
        #expect(try house.profile() == Household.document())
        options.isReplacing = true
        try house.safe.keep(fetched, from: access, options)
        #expect(try house.profile() == Household.document("elsewhere"))
        #expect(house.stateFile == before)
        // The own backup is not up to date any more, and says so when it is due.
        house.advance(.hours(23))
        let result = try house.push()
        #expect(result.outcome == .uploaded)
        #expect(try house.stored()?.document == Household.document("elsewhere"))
    }

    @Test func `the raw bytes are those of the server`() throws {
        house.server.backups[Household.place] = [1, 2, 3]
        let access = try house.safe.access(to: Household.main)
        #expect(try access.fetchEncrypted() == [1, 2, 3])
    }

    @Test func `an earlier backup takes nothing from what is known of the place, and is uploaded at once`() throws {
        try house.push()
        try house.change(to: Household.document("second", contacts: 0))
        try house.push {
            $0.isForced = true; $0.isAcceptingLoss = true
        }
        let before = try house.safe.status(of: Household.main)
        house.advance(.hours(1))
        let backup = try house.safe.earlierBackup(1, of: Household.main)
        _ = try house.safe.restore(backup, of: Household.id, SafeKeeper.KeepOptions())
        let after = try house.safe.status(of: Household.main)
        #expect(!after.isDeleted && after.hasChanges && !after.hasFailed)
        #expect(after.uploadedAt == before.uploadedAt && after.lastSeen == before.lastSeen)
        #expect(after.lastGoodPush == before.lastGoodPush && after.expiresAt == before.expiresAt)
        #expect(try house.push().outcome == .uploaded)
        #expect(try house.stored()?.document == Household.document())
    }
}
