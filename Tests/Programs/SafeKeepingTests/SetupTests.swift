import SafeKeepingKit
import SafeKit
import Keystore
import SafeWire
import SecureMemory
import Testing
import Threema
import ThreemaRecords
import ThreemaSafe

@testable import SafeKeeping

@Suite struct SetupTests {
    private let house: Household

    init() throws {
        house = try Household(isSetUp: false)
    }

    /// Where a backup of this ID and password lies.
    private var place: String {
        get throws {
            let password = Array("shootdeathstar".utf8)
            return try SafeKeys(password: password.span, id: Household.id).backupID.hex
        }
    }

    /// The test of the server, then the setup.
    @discardableResult
    private func setUp(
        _ house: Household? = nil, preparing: Bool = false, testing: Bool = true
    ) throws -> (test: SafeKeeper.ServerTest?, backupExists: Bool?) {
        let password = secret("shootdeathstar")
        let house = house ?? self.house
        let test =
            testing ? try house.safe.test(SafeEndpoint(house.server.address), preparing: preparing) : nil
        let exists = try house.safe.setUpSafe(
            Household.main, at: SafeEndpoint(house.server.address), password: password, test: test)
        return (test, exists)
    }

    @Test func `it tests the server with a probe that it removes`() throws {
        house.server.served = ServerLimits(maxBackupBytes: 4000, retentionDays: 30).config
        let result = try setUp()
        #expect(result.test?.limits == ServerLimits(maxBackupBytes: 4000, retentionDays: 30))
        #expect(result.backupExists == false)
        #expect(house.server.takeRequests() == [.config, .store, .fetch, .store, .remove, .fetch, .fetch])
        #expect(house.server.backups == [:])
        #expect(try house.safe.isSetUp(Household.main))
        let pushed = try house.push()
        #expect(pushed.outcome == .uploaded)
    }

    @Test func `the place is that of ID and password`() throws {
        try setUp(testing: false)
        #expect(house.server.takeRequests() == [])
        try house.push()
        #expect(try Array(house.server.backups.keys) == [place])
    }

    @Test func `the probe lies neither on the backup nor where a guess leads`() throws {
        let place = try place
        let sentinel: [UInt8] = [9, 9, 9]
        house.server.backups[place] = sentinel
        let result = try setUp()
        #expect(result.backupExists == true)
        #expect(house.server.backups == [place: sentinel])
    }

    @Test func `where one is set up, it is refused before anybody is asked`() throws {
        let house = try Household()
        #expect(throws: SafeKeepingError.setupExists(id: "ABCD1234")) { try setUp(house, testing: false) }
        #expect(house.server.takeRequests() == [])
    }

    @Test func `an unprepared server is prepared only when asked`() throws {
        house.server.served = nil
        #expect(throws: SafeExchangeError.notPrepared("file:///memory")) { try setUp() }
        #expect(house.server.takeRequests() == [.config])
        let result = try setUp(preparing: true)
        #expect(result.test?.limits == .standard)
    }

    /// Config, store, fetch, store, remove, fetch, fetch: whichever fails, nothing is kept here.
    @Test(arguments: 0..<7) func `a server that fails the test is not set up`(_ failing: Int) throws {
        let away = SafeExchangeError.unavailable("file:///memory")
        house.server.misbehave { number, _ in number == failing ? .refused(away) : nil }
        #expect(throws: away) { try setUp() }
        house.server.recover()
        #expect(try !house.safe.isSetUp(Household.main))
        #expect(throws: SafeKeepingError.noSetup(id: "ABCD1234")) { try house.push() }
        #expect(house.server.backups == [:])
        try setUp()
        #expect(house.server.backups == [:])
    }

    @Test(arguments: [MemoryServer.Fault.lie([1, 2, 3]), .lie(nil)])
    func `a server that returns something else is not set up`(
        _ fault: MemoryServer.Fault
    ) throws {
        house.server.misbehave { number, request in number == 2 && request == .fetch ? fault : nil }
        #expect(throws: SafeKeepingError.notVerified(server: "file:///memory")) { try setUp() }
        #expect(house.server.backups == [:])
        #expect(try !house.safe.isSetUp(Household.main))
    }

    @Test(arguments: [true, false]) func `it learns whether the server honours conditions`(_ honours: Bool) throws {
        house.server.misbehave { number, _ in
            number == 3 && !honours ? .ignored : nil
        }
        let result = try setUp()
        #expect(result.test?.honoursConditions == honours)
        let status = try house.safe.status(of: Household.main)
        #expect(status.honoursConditions == honours)
    }

    @Test func `a server that does not delete is not set up`() throws {
        house.server.misbehave { _, request in request == .remove ? .ignored : nil }
        #expect(throws: SafeKeepingError.notVerified(server: "file:///memory")) { try setUp() }
    }

    @Test func `a config of no sense is refused`() throws {
        house.server.served = Array(#"{"maxBackupBytes":1e5,"retentionDays":180}"#.utf8)
        #expect(throws: SafeKeepingError.badLimits(.missing("maxBackupBytes"))) { try setUp() }
        #expect(house.server.takeRequests() == [.config])
    }

    @Test func `an identity that is not there gets none`() throws {
        let password = secret("shootdeathstar")
        #expect(throws: KeystoreError.noIdentity(.threema(try ThreemaID("NOBODY00")))) {
            _ = try house.safe.setUpSafe(
                SafePlace(ThreemaID("NOBODY00"), .main), at: SafeEndpoint(house.server.address), password: password,
                test: nil)
        }
    }
}
