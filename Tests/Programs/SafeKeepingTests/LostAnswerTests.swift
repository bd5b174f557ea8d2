import SafeKeepingKit
import SafeKit
import SafeWire
import Testing
import Threema

@testable import SafeKeeping

/// A backup that arrived though its answer did not.
@Suite struct LostAnswerTests {
    private let house: Household
    private let away = SafeExchangeError.unavailable("file:///memory")

    init() throws {
        house = try Household()
    }

    private func loseAnswer() {
        house.server.misbehave { _, request in request == .store ? .answerLost : nil }
        #expect(throws: away) { try house.push { $0.isForced = true } }
        house.server.recover()
    }

    @Test func `it is no conflict`() throws {
        loseAnswer()
        #expect(try house.stored()?.document == Household.document())
        let result = try house.push()
        #expect(result.outcome == .uploaded)
        #expect(result.replaced == nil)
        #expect(result.upload?.generation == 2)
        // For a day the first one may still arrive again: it is looked for.
        let again = try house.push()
        #expect(again.outcome == .confirmed)
        house.advance(.hours(24))
        let later = try house.push()
        #expect(later.outcome == .unchanged)
    }

    @Test func `its generation is not given out again after a check has found it`() throws {
        try house.push()
        loseAnswer()
        let look = try house.safe.look(at: Household.main)
        #expect(look.failure == nil)
        #expect(look.writer?.generation == 2)
        let result = try house.push { $0.isForced = true }
        #expect(result.upload?.generation == 3)
    }

    @Test func `it is no conflict after a change either`() throws {
        try house.push()
        loseAnswer()
        try house.change(to: Household.document("second"))
        let result = try house.push()
        #expect(result.outcome == .uploaded)
        #expect(try house.stored()?.document == Household.document("second"))
    }

    @Test func `nor when the next attempt does not arrive`() throws {
        try house.push()
        loseAnswer()
        try house.change(to: Household.document("second"))
        house.server.misbehave { [away] _, request in request == .store ? .refused(away) : nil }
        #expect(throws: away) { try house.push() }
        #expect(throws: away) { try house.push() }
        house.server.recover()
        try house.change(to: Household.document("third"))
        let result = try house.push()
        #expect(result.outcome == .uploaded)
        #expect(try house.stored()?.document == Household.document("third"))
    }

    @Test func `nor where nothing was ever acknowledged`() throws {
        loseAnswer()
        house.server.misbehave { [away] _, request in request == .store ? .refused(away) : nil }
        for _ in 0..<2 { #expect(throws: away) { try house.push() } }
        house.server.recover()
        let result = try house.push()
        #expect(result.outcome == .uploaded)
        #expect(result.replaced == nil)
    }

    @Test func `nor after many`() throws {
        for _ in 0..<5 { loseAnswer() }
        let result = try house.push()
        #expect(result.outcome == .uploaded)
        #expect(result.upload?.generation == 6)
    }

    @Test func `what was about to be sent and did not arrive changes nothing`() throws {
        try house.push()
        let blob = house.server.backups[Household.place]
        house.server.misbehave { [away] _, request in request == .store ? .refused(away) : nil }
        #expect(throws: away) { try house.push { $0.isForced = true } }
        house.server.recover()
        #expect(house.server.backups[Household.place] == blob)
        let result = try house.push()
        #expect(result.upload?.generation == 2)
    }

    @Test func `an app that writes in between is still a conflict`() throws {
        loseAnswer()
        let phone = try Household.appBackup(Household.document("phone"))
        house.server.backups[Household.place] = phone
        #expect(throws: Household.conflict) { try house.push() }
        #expect(house.server.backups[Household.place] == phone)
    }
}
