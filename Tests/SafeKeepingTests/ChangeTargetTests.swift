import SafeWire
import SecureMemory
import Testing
import Threema

@testable import SafeKeeping

/// Another Safe password, step by step.
@Suite struct ChangeTargetTests {
    private let house: Household
    private var password: SecureBytes { secret("another password") }
    /// Where a backup under that password lies.
    private static let newPlace: String = {
        let password = Array("another password".utf8)
        return try! SafeKeys(password: password.span, id: Household.id).backupID.hex
    }()

    init() throws {
        house = try Household()
        try house.push()
    }

    private func change(_ house: Household) throws -> SafeKeeper.ChangeResult {
        try house.keeper.changeTarget(of: Household.id, to: nil, password: password, leavingOld: false)
    }

    @Test func `the backup moves, and the old one goes`() throws {
        let result = try change(house)
        #expect(result.isOldRemoved)
        #expect(Array(house.server.backups.keys) == [Self.newPlace])
        let push = try house.push()
        #expect(push.outcome == .unchanged)
        #expect(throws: SafeKeepingError.sameTarget(id: "ABCD1234")) { _ = try change(house) }
    }

    @Test func `something at the new place is not overwritten`() throws {
        house.server.backups[Self.newPlace] = [1, 2, 3]
        let before = house.server.backups
        #expect(throws: SafeKeepingError.conflict(id: "ABCD1234")) { _ = try change(house) }
        #expect(house.server.backups == before)
        let push = try house.push()
        #expect(push.outcome == .unchanged)
    }

    @Test func `an old backup that cannot be deleted is deleted later`() throws {
        house.server.misbehave { _, request in request == .remove ? .refused(.full) : nil }
        let result = try change(house)
        #expect(!result.isOldRemoved)
        #expect(house.server.backups.count == 2)
        let still = try house.push()
        #expect(!still.isOldRemoved)
        house.server.recover()
        let push = try house.push()
        #expect(push.isOldRemoved)
        #expect(Array(house.server.backups.keys) == [Self.newPlace])
    }

    @Test func `a change that the server refuses leaves what is known of the present backup`() throws {
        let before = try house.keeper.status(of: Household.id)
        house.server.misbehave { _, request in request == .store ? .refused(.full) : nil }
        #expect(throws: SafeExchangeError.full) { _ = try change(house) }
        house.server.recover()
        let status = try house.keeper.status(of: Household.id)
        #expect(status.isChanging)
        #expect(status.uploadedAt == before.uploadedAt && status.seenAt == before.seenAt)
        let isTakenBack = try house.keeper.abortChange(of: Household.id)
        #expect(isTakenBack)
        #expect(try house.keeper.status(of: Household.id) == before)
        let push = try house.push()
        #expect(push.outcome == .unchanged)
    }

    @Test func `dying at any request, the next push finishes it`() throws {
        var number = 0
        while true {
            let house = try Household()
            try house.push()
            let current = number
            house.server.misbehave { number, _ in number == current ? .deathBefore : nil }
            guard house.killing({ _ = try change(house) }) else { break }
            // At every moment one of the two is whole.
            let isOldThere = try house.stored()?.document == Household.document()
            let isNewThere = house.server.backups[Self.newPlace] != nil
            #expect(isOldThere || isNewThere, "request \(number)")
            let push = try house.push()
            #expect(push.isOldRemoved)
            #expect(house.server.backups.count == 1, "request \(number)")
            let again = try house.push()
            #expect(again.outcome == .unchanged, "request \(number)")
            number += 1
        }
        // A look at the new server (config, fetch), the push there (config, fetch, store, fetch), the removal.
        #expect(number == 7)
    }

    @Test func `a change that was begun can be taken back`() throws {
        house.server.misbehave { number, request in number > 1 && request == .store ? .refused(.full) : nil }
        #expect(throws: SafeExchangeError.full) { _ = try change(house) }
        house.server.recover()
        let isTaken = try house.keeper.abortChange(of: Household.id)
        #expect(isTaken)
        #expect(Array(house.server.backups.keys) == [Household.place])
        let push = try house.push()
        #expect(push.outcome == .unchanged)
        #expect(push.upload?.replaced == nil)
        let nothing = try house.keeper.abortChange(of: Household.id)
        #expect(!nothing)
    }
}
