import SafeWire
import Testing
import Threema

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
                _ = try house.keeper.deleteSafe(of: Household.id, keepingSetup: false)
            }
        }
        house.server.recover()
        let push = try house.push()
        #expect(push.outcome == .uploaded)
        #expect(house.server.backups.count == 1)
    }

    @Test func `the backup goes, then the setup`() throws {
        try house.push()
        _ = house.server.takeRequests()
        let result = try house.keeper.deleteSafe(of: Household.id, keepingSetup: false)
        #expect(result == SafeKeeper.DeleteResult(server: house.server.address, isRemoved: true))
        #expect(house.server.takeRequests() == [.remove, .fetch])
        #expect(house.server.backups == [:])
        let summary = try house.keeper.summary(Household.id)
        #expect(!summary.hasSafe)
        #expect(throws: SafeKeepingError.noSetup(id: "ABCD1234")) {
            try house.keeper.deleteSafe(of: Household.id, keepingSetup: false)
        }
        // Profile and identity stay.
        #expect(try house.profile() == Household.document())
    }

    @Test func `a backup that is not there is fine`() throws {
        _ = try house.keeper.deleteSafe(of: Household.id, keepingSetup: false)
        let summary = try house.keeper.summary(Household.id)
        #expect(!summary.hasSafe)
    }

    @Test func `with the setup kept, the next push uploads again`() throws {
        try house.push()
        _ = try house.keeper.deleteSafe(of: Household.id, keepingSetup: true)
        #expect(house.server.backups == [:])
        let result = try house.push()
        #expect(result.outcome == .uploaded)
    }

    @Test func `other backups on the server stay`() throws {
        try house.push()
        house.server.backups["somebody else's"] = [1]
        _ = try house.keeper.deleteSafe(of: Household.id, keepingSetup: false)
        #expect(house.server.backups == ["somebody else's": [1]])
    }

    @Test(arguments: [true, false]) func `where the server is away, nothing is forgotten for good`(
        _ isKeepingSetup: Bool
    ) throws {
        try house.push()
        let away = SafeExchangeError.unavailable("file:///memory")
        house.server.misbehave { _, _ in .refused(away) }
        #expect(throws: away) { try house.keeper.deleteSafe(of: Household.id, keepingSetup: isKeepingSetup) }
        house.server.recover()
        #expect(house.server.backups.count == 1)
        // What failed is as if it had never begun: a push is a push.
        _ = try house.push()
        #expect(house.server.backups.count == 1)
        _ = try house.keeper.deleteSafe(of: Household.id, keepingSetup: isKeepingSetup)
        #expect(house.server.backups == [:])
    }

    @Test func `where the server is away for good, the setup can be given up`() throws {
        try house.push()
        house.server.misbehave { _, _ in .refused(.unavailable("file:///memory")) }
        let result = try house.keeper.deleteSafe(of: Household.id, keepingSetup: false, leavingRest: true)
        #expect(result == SafeKeeper.DeleteResult(server: house.server.address, isRemoved: false))
        let summary = try house.keeper.summary(Household.id)
        #expect(!summary.hasSafe)
    }

    @Test func `what else is remembered of the identity stays`() throws {
        try house.push()
        let held = try house.keeper.markProven(Household.identity())
        #expect(held)
        _ = try house.keeper.deleteSafe(of: Household.id, keepingSetup: false)
        let state = try house.state()
        #expect(state.codeProvenAt == house.now)
        #expect(state.safe == nil)
    }
}
