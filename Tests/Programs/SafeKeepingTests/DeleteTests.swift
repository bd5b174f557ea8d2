import SafeKeepingKit
import SafeKit
import SafeRules
import SafeWire
import Testing
import Threema
import ThreemaSafe

@testable import SafeKeeping

@Suite struct DeleteTests {
    private let house: Household

    init() throws {
        house = try Household()
    }

    @Test(arguments: [SafeExchangeError.refused(code: 13), .notPrepared("file:///memory")])
    func `a refusal takes the mark back, so that there is a way on`(_ error: SafeExchangeError) throws {
        try house.push()
        house.server.misbehave { _, request in request == .remove ? .refused(error) : nil }
        for _ in 0..<2 {
            #expect(throws: error) {
                _ = try house.safe.deleteSafe(at: Household.main)
            }
        }
        house.server.recover()
        // What failed is over: the next push looks, and finds the backup where it was.
        let push = try house.push()
        #expect(push.outcome == .confirmed)
        #expect(house.server.backups.count == 1)
    }

    @Test func `another device's backup is not deleted`() throws {
        try house.push()
        let phone = try Household.appBackup(Household.document("phone"))
        house.server.backups[Household.place] = phone
        #expect(throws: Household.conflict) { _ = try house.safe.deleteSafe(at: Household.main) }
        #expect(house.server.backups[Household.place] == phone)
        #expect(throws: Household.conflict) { try house.push() }
    }

    @Test func `what the server says it deleted and still returns is no success`() throws {
        try house.push()
        house.server.misbehave { _, request in request == .remove ? .ignored : nil }
        #expect(throws: Household.refusal(.notRemoved(.current))) {
            _ = try house.safe.deleteSafe(at: Household.main)
        }
        house.server.recover()
        #expect(try house.push().outcome == .confirmed)
    }

    @Test func `the backup goes, then the setup`() throws {
        try house.push()
        _ = house.server.takeRequests()
        let result = try house.safe.deleteSafe(at: Household.main)
        #expect(result == SafeKeeper.DeleteResult(server: house.server.address, wasThere: true, left: []))
        // The backup is looked at before it is deleted, and after that.
        #expect(house.server.takeRequests() == [.fetch, .remove, .fetch])
        #expect(try house.history().count == 1)
        #expect(house.server.backups == [:])
        #expect(try !house.safe.isSetUp(Household.main))
        #expect(throws: SafeKeepingError.noSetup(id: "ABCD1234")) {
            try house.safe.deleteSafe(at: Household.main)
        }
        // Profile and identity stay.
        #expect(try house.profile() == Household.document())
    }

    @Test func `a backup that is not there is fine`() throws {
        _ = try house.safe.deleteSafe(at: Household.main)
        #expect(try !house.safe.isSetUp(Household.main))
    }

    @Test func `with the setup kept, the next push uploads again`() throws {
        try house.push()
        _ = try house.safe.deleteSafe(at: Household.main, .keepingSetup)
        #expect(house.server.backups == [:])
        let result = try house.push()
        #expect(result.outcome == .uploaded)
    }

    @Test func `other backups on the server stay`() throws {
        try house.push()
        house.server.backups["somebody else's"] = [1]
        _ = try house.safe.deleteSafe(at: Household.main)
        #expect(house.server.backups == ["somebody else's": [1]])
    }

    @Test(arguments: [true, false]) func `where the server is away, nothing is forgotten for good`(
        _ isKeepingSetup: Bool
    ) throws {
        try house.push()
        let away = SafeExchangeError.unavailable("file:///memory")
        house.server.misbehave { _, _ in .refused(away) }
        #expect(throws: away) {
            try house.safe.deleteSafe(at: Household.main, isKeepingSetup ? .keepingSetup : .init())
        }
        house.server.recover()
        #expect(house.server.backups.count == 1)
        // What failed is as if it had never begun: a push is a push.
        _ = try house.push()
        #expect(house.server.backups.count == 1)
        _ = try house.safe.deleteSafe(at: Household.main, isKeepingSetup ? .keepingSetup : .init())
        #expect(house.server.backups == [:])
    }

    @Test func `where the server is away for good, the setup can be given up`() throws {
        try house.push()
        house.server.misbehave { _, _ in .refused(.unavailable("file:///memory")) }
        let result = try house.safe.deleteSafe(at: Household.main, .forced)
        #expect(result.left.map(\.role) == [.current])
        #expect(try !house.safe.isSetUp(Household.main))
    }

    @Test func `what else is remembered of the identity stays`() throws {
        try house.push()
        try house.changeState { $0.codeProvenAt = house.now }
        _ = try house.safe.deleteSafe(at: Household.main)
        let state = try house.state()
        #expect(state.codeProvenAt == house.now)
        #expect(state.safe == nil)
    }

    /// A move whose old place refuses deletions: the present backup is deleted last.
    @Test func `where an old place keeps its backup, the present one stays, too`() throws {
        let new = try MemoryServer("file:///new")
        let house = try Household(beside: new)
        try house.push()
        house.server.misbehave { _, request in request == .remove ? .refused(.refused(code: 13)) : nil }
        _ = try house.safe.move(Household.main, to: SafeEndpoint(new.address), preparing: false)
        let error = #expect(throws: SafeKeepingError.self) { _ = try house.safe.deleteSafe(at: Household.main) }
        #expect(error == .refused(.exchange(.retiring, .refused(code: 13)), id: "ABCD1234", server: "file:///new"))
        #expect(new.backups.count == 1 && house.server.backups.count == 1)
        let outcome = try house.push().outcome
        #expect(outcome == .confirmed || outcome == .unchanged)
        let forced = try house.safe.deleteSafe(at: Household.main, .forced)
        #expect(forced.left.map(\.role) == [.retiring] && new.backups.isEmpty)
    }

    @Test func `a deletion that the server only confirms leads to another deletion`() {
        #expect(SafeFailure.notRemoved(.current).waysOut(.usual) == [.delete])
    }
}
