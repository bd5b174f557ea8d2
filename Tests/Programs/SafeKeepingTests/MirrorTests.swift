import Encodings
import Keystore
import SafeKeepingKit
import SafeKit
import SafeRules
import SafeWire
import SecureMemory
import Testing
import Threema
import ThreemaSafe

@testable import SafeKeeping
@testable import ThreemaRecords

/// Fetching a backup that an app writes, in order to store it.
@Suite struct MirrorTests {
    private let home: Household

    init() throws {
        home = try Household(isSetUp: false)
        try home.setUpReadOnly()
    }

    private func write(_ document: SafeDocument, key: UInt8 = 0xcc) throws {
        home.server.backups[Household.place] = try Household.appBackup(document, key: key)
    }

    @discardableResult
    private func mirror(isAcceptingLoss: Bool = false) throws -> SafeKeeper.MirrorResult {
        var options = SafeKeeper.MirrorOptions()
        options.isAcceptingLoss = isAcceptingLoss
        return try home.safe.mirror(Household.main, options)
    }

    private func expectAlarm(_ alarm: MirrorAlarm, _ body: () throws -> Void) {
        #expect(throws: Household.refusal(.mirror(alarm), .readOnly)) { try body() }
    }

    @Test func `a new backup is stored once and opens by itself`() throws {
        try write(Household.document("phone", contacts: 3))
        let first = try mirror()
        #expect(first.isNew && first.contacts == 3 && first.changedAt == home.now)
        home.advance(.hours(24))
        let second = try mirror()
        #expect(!second.isNew && second.changedAt == first.changedAt)
        let requests = home.server.takeRequests()
        #expect(requests == [.fetch, .fetch])
        let items = try home.safe.history(of: Household.main)
        #expect(items.map(\.number) == [1])
        #expect(items.map(\.origin) == [.mirrored])
        #expect(items.map(\.contents?.contacts) == [3])
        let nickname = try home.safe.earlierBackup(1, of: Household.main).document.nickname
        #expect(nickname == "phone")
        // After a change of the setup it opens by the key that is stored with it.
        try home.locked().write(SafeSetup(Household.target(home.server, 8), isReadOnly: true), at: .main)
        let again = try home.safe.earlierBackup(1, of: Household.main).document.nickname
        #expect(again == "phone")
    }

    @Test func `it makes nothing known, so a push would not replace it`() throws {
        try write(Household.document("phone"))
        try mirror()
        try home.locked().write(SafeSetup(Household.target(home.server)), at: .main)
        #expect(throws: Household.conflict) { try home.push() }
        let state = try home.state()
        #expect(state.safe?.state.journal.isEmpty == true)
        #expect(state.safe?.state.last == nil)
    }

    @Test func `no verb writes to a place that is set up for reading only`() throws {
        try write(Household.document("phone"))
        let refusal = Household.refusal(.readOnly, .readOnly)
        let other = SafeEndpoint(try SafeServerAddress(parsing: "file:///other"))
        #expect(throws: refusal) { try home.push() }
        #expect(throws: refusal) { try home.push { $0.isOverwriting = true } }
        #expect(throws: refusal) { try home.push { $0.isDryRun = true } }
        #expect(throws: refusal) { _ = try home.safe.deleteSafe(at: Household.main) }
        #expect(throws: refusal) { _ = try home.safe.deleteSafe(at: Household.main, .forced) }
        #expect(throws: refusal) { _ = try home.safe.move(Household.main, to: other.copy) }
        #expect(throws: refusal) { _ = try home.safe.abortChange(at: Household.main) }
        #expect(throws: refusal) { try home.safe.readdress(Household.main, as: other.copy) }
        #expect(throws: refusal) {
            _ = try home.safe.changePassword(at: Household.main, to: secret("another password"))
        }
        #expect(home.server.takeRequests().isEmpty)
        let isReadOnly = try home.safe.isReadOnly(Household.main)
        #expect(isReadOnly)
        // A pull restores the backup; the place stays one for reading only.
        try home.pull { $0.isReplacing = true }
        #expect(throws: refusal) { try home.push() }
    }

    @Test func `the setup can be removed, and the history stays`() throws {
        try write(Household.document("phone"))
        try mirror()
        let server = try home.safe.removeSetup(of: Household.main)
        #expect(server == home.server.address)
        #expect(throws: SafeKeepingError.noSetup(id: "ABCD1234")) { try mirror() }
        #expect(home.server.backups.count == 1)
        let contacts = try home.safe.history(of: Household.main).map(\.contents?.contacts)
        #expect(contacts == [2])
    }

    @Test func `the password that a phone chose is taken, and an authority stays that was named meanwhile`() throws {
        let password = secret("of the phone")
        let keys = try password.withBytes { try SafeKeys(password: $0, id: Household.id) }
        home.server.backups[keys.backupID.hex] = try SafeBackup.seal(
            Household.identity().clientKey, Profile(Household.document("phone")), writerInfo: nil, keys: keys)
        let (home, authority) = (home, Array("PEM".utf8))
        home.server.misbehave { _, _ in
            let target = Household.target(home.server).approached(
                as: SafeEndpoint(home.server.address, login: nil, authority: authority, pins: []))
            try? home.locked().write(SafeSetup(target, isReadOnly: true), at: .main)
            return nil
        }
        try home.safe.adoptPassword(password, at: Household.main)
        let setup = try home.keystore.identity(.threema(Household.id)).requiredSetup(at: .main)
        #expect(setup.current.server.authority == authority)
        #expect(setup.current.keys.backupID == keys.backupID)
        let isReadOnly = setup.isReadOnly
        #expect(isReadOnly)
    }

    @Test func `each alarm, again in each run`() throws {
        expectAlarm(.absent) { try mirror() }
        try write(Household.document("phone", contacts: 8))
        try mirror()
        let good = try #require(home.server.backups[Household.place])
        home.server.backups[Household.place] = [UInt8](repeating: 1, count: 100)
        for _ in 0..<2 { expectAlarm(.damaged) { try mirror() } }
        home.server.backups = [:]
        for _ in 0..<2 { expectAlarm(.absent) { try mirror() } }
        try write(Household.document("wiped", contacts: 1))
        for _ in 0..<2 { expectAlarm(.losesContacts(before: 8, now: 1)) { try mirror() } }
        home.server.backups[Household.place] = good
        for _ in 0..<2 { expectAlarm(.older) { try mirror() } }
        try write(Household.document("phone", contacts: 8), key: 0xdd)
        for _ in 0..<2 { expectAlarm(.otherKey) { try mirror() } }
        let items = try home.safe.history(of: Household.main)
        #expect(items.map(\.contents?.contacts) == [8, 1, 8])
        try write(Household.document("new", contacts: 1))
        expectAlarm(.losesContacts(before: 8, now: 1)) { try mirror() }
        let accepted = try mirror(isAcceptingLoss: true)
        #expect(!accepted.isNew)
        try mirror()
    }

    @Test func `what leads on does not write to the place`() throws {
        try write(Household.document("phone"))
        #expect(throws: Household.refusal(.unpushedChanges, .readOnly)) { try home.pull() }
        #expect(SafeFailure.unpushedChanges.waysOut(.readOnly) == [.pullReplacing])
        #expect(SafeFailure.unpushedChanges.waysOut(.usual) == [.pullReplacing, .pushOverwriting])
    }

    @Test func `a pull leaves the finding that a mirror would`() throws {
        func finding() throws -> Finding? { try home.safe.status(of: Household.main).finding }
        try write(Household.document("phone", contacts: 8))
        try mirror()
        #expect(throws: Household.refusal(.unpushedChanges, .readOnly)) { try home.pull() }
        #expect(try finding() == nil, "a backup in order")
        try write(Household.document("wiped", contacts: 1))
        expectAlarm(.losesContacts(before: 8, now: 1)) { try mirror() }
        try home.pull { $0.isReplacing = true }
        #expect(try finding() == .lossy)
        try home.pull()
        #expect(try finding() == .lossy)
        try write(Household.document("phone again", contacts: 8))
        try home.pull()
        #expect(try finding() == nil)
        try mirror()
        // With ID and password, too.
        try write(Household.document("wiped again", contacts: 1))
        expectAlarm(.losesContacts(before: 8, now: 1)) { try mirror() }
        let access = try home.safe.access(to: Household.main)
        try home.safe.keep(access.fetch(), from: access, SafeKeeper.KeepOptions())
        #expect(try finding() == .lossy)
        try mirror(isAcceptingLoss: true)
        #expect(try finding() == nil)
    }

    @Test func `a wait that the server asks for is kept to`() throws {
        try write(Household.document("phone"))
        home.server.misbehave { _, _ in .refused(.throttled("file:///memory", seconds: 600, status: 429)) }
        #expect(throws: SafeExchangeError.self) { try mirror() }
        home.server.recover()
        let until = home.now + .seconds(600)
        #expect(throws: Household.refusal(.waiting(until: until, loss: nil), .readOnly)) { try mirror() }
        #expect(home.server.takeRequests().isEmpty)
        home.setClock(until)
        try mirror()
    }

    @Test func `a clock that goes back does not change the order`() throws {
        for number in 0..<4 {
            try write(Household.document("\(number)"))
            try mirror()
            home.advance(.hours(-48))
        }
        let items = try home.safe.history(of: Household.main)
        let nicknames = try items.map {
            try home.safe.earlierBackup($0.number, of: Household.main).document.nickname
        }
        #expect(nicknames == ["3", "2", "1", "0"])
        // The newest is still the newest.
        let again = try mirror()
        #expect(!again.isNew)
    }

    @Test func `a lost state is rebuilt from the history`() throws {
        try write(Household.document("phone", contacts: 8))
        try mirror()
        let good = try #require(home.server.backups[Household.place])
        home.advance(.hours(24))
        try write(Household.document("wiped", contacts: 1))
        expectAlarm(.losesContacts(before: 8, now: 1)) { try mirror() }
        home.stateFile = nil
        expectAlarm(.losesContacts(before: 8, now: 1)) { try mirror() }
        home.stateFile = Array("{}".utf8)
        home.server.backups[Household.place] = good
        expectAlarm(.older) { try mirror() }
        let entries = try home.history()
        #expect(entries.count == 2)
    }

    @Test func `a look at the server compares with the newest backup in the history`() throws {
        func look() throws -> SafeFailure? { try home.safe.look(at: Household.main).failure }
        try write(Household.document("phone"))
        try mirror()
        let old = home.server.backups[Household.place]
        #expect(try look() == nil)
        try write(Household.document("later"))
        #expect(try look() == nil)
        try mirror()
        home.server.backups[Household.place] = old
        #expect(try look() == .mirror(.older))
        home.server.backups = [:]
        #expect(try look() == .mirror(.absent))
        let entries = try home.history()
        #expect(entries.count == 2)
    }

    @Test func `beside pushes, the next push learns what a mirror found`() throws {
        try home.locked().write(SafeSetup(Household.target(home.server)), at: .main)
        try home.push()
        try mirror()
        try write(Household.document("phone"))
        try mirror()
        #expect(try home.safe.status(of: Household.main).finding == .foreign)
        #expect(throws: Household.conflict) { try home.push() }
    }

    @Test func `an unread number is refused`() throws {
        for number in [-1, 0, 1, Int.max] {
            #expect(throws: SafeKeepingError.noSuchEntry(id: "ABCD1234", number: number, count: 0)) {
                _ = try home.safe.earlierBackup(number, of: Household.main)
            }
        }
    }
}

extension Household {
    /// Sets up the Safe for reading only.
    func setUpReadOnly() throws { try locked().write(SafeSetup(Self.target(server), isReadOnly: true), at: .main) }
}
