import SafeKeepingKit
import SafeKit
import SafeRules
import SafeWire
import SecureMemory
import Testing
import Threema
import ThreemaSafe

@testable import SafeKeeping

/// Another Safe password, step by step.
@Suite struct ChangeTests {
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

    private func change(
        _ house: Household, _ options: SafeKeeper.ChangeOptions = .init()
    ) throws -> SafeKeeper.ChangeResult {
        try house.safe.changePassword(at: Household.main, to: password, options)
    }

    @Test func `the backup moves, and the old one goes`() throws {
        let result = try change(house)
        #expect(result.left == nil)
        #expect(Array(house.server.backups.keys) == [Self.newPlace])
        #expect(try house.history().count == 1)
        let push = try house.push()
        #expect(push.outcome == .unchanged)
        #expect(throws: SafeKeepingError.sameTarget(id: "ABCD1234")) { _ = try change(house) }
    }

    @Test func `another device's backup at the old place stops it`() throws {
        let phone = try Household.appBackup(Household.document("phone"))
        house.server.backups[Household.place] = phone
        #expect(throws: Household.conflict) { _ = try change(house) }
        #expect(house.server.backups == [Household.place: phone])
        // With consent it goes on, and what was replaced is kept.
        var options = SafeKeeper.ChangeOptions()
        options.isOverwriting = true
        #expect(try change(house, options).left == nil)
        #expect(Array(house.server.backups.keys) == [Self.newPlace])
        #expect(try house.history().count == 1)
    }

    @Test func `a phone that writes there while the old server was away keeps its backup`() throws {
        house.server.misbehave { _, request in request == .remove ? .refused(.unavailable("file:///memory")) : nil }
        #expect(try change(house).left != nil)
        house.server.recover()
        let phone = try Household.appBackup(Household.document("phone"))
        house.server.backups[Household.place] = phone
        let push = try house.push()
        #expect(push.left == .conflict(.retiring, isOtherKey: false))
        #expect(house.server.backups[Household.place] == phone)
        #expect(try house.safe.forgetOldPlace(of: Household.main))
        #expect(try house.push().left == nil)
        #expect(house.server.backups[Household.place] == phone)
    }

    @Test func `another device's backup at the new place is not overwritten`() throws {
        let identity = Household.identity()
        let password = Array("another password".utf8)
        let keys = try SafeKeys(password: password.span, id: Household.id)
        house.server.backups[Self.newPlace] = try SafeBackup.seal(
            identity.clientKey, Profile(Household.document("phone")), writerInfo: nil, keys: keys)
        let before = house.server.backups
        #expect(throws: Household.refusal(.conflict(.next, isOtherKey: false))) { _ = try change(house) }
        #expect(house.server.backups == before)
        let push = try house.push()
        #expect(push.outcome == .unchanged)
    }

    @Test func `an old backup that cannot be deleted is deleted later`() throws {
        house.server.misbehave { _, request in request == .remove ? .refused(.full) : nil }
        #expect(try change(house).left == .exchange(.retiring, .full))
        #expect(house.server.backups.count == 2)
        #expect(try house.push().left == .exchange(.retiring, .full))
        house.server.recover()
        #expect(try house.push().left == nil)
        #expect(Array(house.server.backups.keys) == [Self.newPlace])
    }

    @Test func `a server that only says it deletes is not believed`() throws {
        house.server.misbehave { _, request in request == .remove ? .ignored : nil }
        #expect(try change(house).left == .notRemoved(.retiring))
        #expect(try house.safe.status(of: Household.main).oldServer == "file:///memory")
        house.server.recover()
        #expect(try house.push().left == nil)
        #expect(Array(house.server.backups.keys) == [Self.newPlace])
    }

    @Test func `a change that the server refuses keeps no push from the present place`() throws {
        let before = try house.safe.status(of: Household.main)
        house.server.misbehave { _, request in request == .store ? .refused(.full) : nil }
        let error = #expect(throws: SafeKeepingError.self) { _ = try change(house) }
        #expect(error == Household.refusal(.exchange(.next, .full), .changeUnfinished))
        let push = try house.push()
        #expect(push.outcome == .unchanged)
        #expect(push.stuck == .exchange(.next, .full))
        house.server.recover()
        let status = try house.safe.status(of: Household.main)
        #expect(status.newServer == "file:///memory")
        #expect(status.uploadedAt == before.uploadedAt && status.seenAt == before.seenAt)
        #expect(try house.safe.abortChange(at: Household.main)?.left == nil)
        let after = try house.safe.status(of: Household.main)
        #expect(after.newServer == nil && after.finding == nil && !after.hasFailed)
        #expect(after.uploadedAt == before.uploadedAt && after.seenAt == before.seenAt)
        #expect(try house.push().outcome == .unchanged)
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
            #expect(push.left == nil)
            #expect(house.server.backups.count == 1, "request \(number)")
            let again = try house.push()
            #expect(again.outcome == .unchanged, "request \(number)")
            number += 1
        }
        // Looks at both places (fetch, config, fetch), the upload (fetch, store, fetch), the deletion (fetch, remove,
        // fetch), and the look at what is to stay.
        #expect(number == 10)
    }

    @Test func `said again after an interruption, it goes on`() throws {
        house.server.misbehave { _, request in request == .store ? .refused(.full) : nil }
        #expect(throws: SafeKeepingError.self) { _ = try change(house) }
        house.server.recover()
        #expect(try change(house).left == nil)
        #expect(Array(house.server.backups.keys) == [Self.newPlace])
        #expect(try house.push().outcome == .unchanged)
    }

    @Test func `another change than the unfinished one has to wait`() throws {
        house.server.misbehave { _, request in request == .store ? .refused(.full) : nil }
        #expect(throws: SafeKeepingError.self) { _ = try change(house) }
        house.server.recover()
        let third = secret("a third password")
        #expect(throws: Household.refusal(.changeUnfinished, .changeUnfinished)) {
            _ = try house.safe.changePassword(at: Household.main, to: third)
        }
    }

    @Test func `taking a change back leaves another device's backup at the new place`() throws {
        house.server.misbehave { number, request in request == .fetch && number > 4 ? .refused(.full) : nil }
        #expect(throws: SafeKeepingError.self) { _ = try change(house) }
        house.server.recover()
        let password = Array("another password".utf8)
        let keys = try SafeKeys(password: password.span, id: Household.id)
        let phone = try SafeBackup.seal(
            Household.identity().clientKey, Profile(Household.document("phone")), writerInfo: nil, keys: keys)
        house.server.backups[Self.newPlace] = phone
        let aborted = try house.safe.abortChange(at: Household.main)
        #expect(aborted?.left == .conflict(.next, isOtherKey: false))
        #expect(house.server.backups[Self.newPlace] == phone)
        #expect(try house.push().stuck == nil)
        #expect(try house.safe.abortChange(at: Household.main) == nil)
    }
}
