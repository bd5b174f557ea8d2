import Encodings
import SafeKeepingKit
import SafeKit
import SafeRules
import SafeWire
import Testing

@testable import SafeKeeping

/// When a push last succeeded, for `--tolerate` and `--max-age`: not when the backup was last seen.
@Suite struct LastPushTests {
    private let house: Household

    /// Pushed, then changed; five days pass.
    init() throws {
        house = try Household()
        try house.push()
        try house.change(to: Household.document("second"))
        house.advance(.days(5))
    }

    private func status() throws -> SafeKeeper.Status { try house.safe.status(of: Household.main) }

    @Test func `a look is none`() throws {
        _ = try house.safe.look(at: Household.main)
        #expect(try status().seenAt == house.now && status().lastSeenAge == .zero)
        #expect(try status().lastGoodPush == Household.start && status().lastGoodPushAge == .days(5))
    }

    @Test func `a mirror is none`() throws {
        _ = try house.safe.mirror(Household.main, .init())
        #expect(try status().lastGoodPushAge == .days(5))
    }

    @Test func `one that fails is none, and one that uploads is`() throws {
        house.server.misbehave { _, request in request == .store ? .refused(.full) : nil }
        #expect(throws: SafeExchangeError.full) { try house.push() }
        #expect(try status().lastGoodPushAge == .days(5))
        house.server.recover()
        try house.push()
        #expect(try status().lastGoodPush == house.now)
    }

    @Test func `one that only looks is, and so is a pull`() throws {
        try house.change(to: Household.document())
        house.advance(.days(3))
        #expect(try house.push().outcome == .confirmed)
        #expect(try status().lastGoodPush == house.now)
        house.advance(.days(1))
        try house.pull()
        #expect(try status().lastGoodPush == house.now)
    }

    /// The state of an earlier version does not have it.
    @Test func `without a time of its own, that at which the backup was known counts`() throws {
        try house.changeState { $0.safe?.state.pushedAt = nil }
        #expect(try status().lastGoodPush == Household.start)
    }
}
