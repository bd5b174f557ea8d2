import SafeKeepingKit
import SafeKit
import SafeWire
import SecureMemory
import Testing
import Threema

@testable import SafeKeeping

/// A process that dies at any request leaves something that the next run completes.
@Suite struct DeathTests {
    enum Moment: CaseIterable {
        case before, after
    }

    /// Where a push may stand when it dies.
    enum Situation: CaseIterable {
        case first, changed, refreshed, missing
    }

    private func death(_ number: Int, _ time: Moment) -> @Sendable (Int, MemoryServer.Request) -> MemoryServer.Fault? {
        { current, _ in
            guard current == number else { return nil }
            switch time {
            case .before: return .deathBefore
            case .after: return .deathAfter
            }
        }
    }

    private func household(_ situation: Situation) throws -> Household {
        let house = try Household()
        guard situation != .first else { return house }
        try house.push()
        switch situation {
        case .first: break
        case .changed:
            try house.change(to: Household.document("second"))
            house.advance(.hours(23))
        case .refreshed: house.advance(.days(90))
        case .missing:
            house.server.backups = [:]
            house.advance(.days(7))
        }
        return house
    }

    @Test(arguments: Situation.allCases, Moment.allCases) func `of a push`(
        _ situation: Situation, _ time: Moment
    ) throws {
        var number = 0
        while true {
            let house = try household(situation)
            let profile = try house.profile()
            house.server.misbehave(death(number, time))
            guard house.killing({ try house.push() }) else { break }
            // A reader now finds nothing, the old backup or the new one, but nothing broken.
            _ = try house.stored()
            let repeated = try house.push()
            #expect(repeated.outcome != .unchanged, "request \(number)")
            let stored = try #require(try house.stored())
            #expect(stored.document == profile, "request \(number)")
            #expect(house.server.backups.count == 1)
            let last = try house.push()
            #expect(last.outcome == .unchanged, "request \(number)")
            number += 1
        }
        #expect(number == (situation == .missing ? 5 : 4))
    }

    @Test(arguments: Moment.allCases) func `of a push, then a change before the next one`(_ time: Moment) throws {
        for number in 0..<4 {
            let house = try household(.changed)
            house.server.misbehave(death(number, time))
            try #require(house.killing { try house.push() })
            // Dead once more at the same place, with other content.
            try house.change(to: Household.document("third"))
            house.advance(.hours(23))
            house.server.misbehave(death(number, time))
            try #require(house.killing { try house.push() })
            try house.change(to: Household.document("fourth"))
            house.advance(.hours(23))
            let result = try house.push()
            #expect(result.outcome == .uploaded, "request \(number)")
            #expect(result.replaced == nil, "request \(number)")
            let stored = try #require(try house.stored())
            #expect(stored.document == Household.document("fourth"), "request \(number)")
        }
    }

    @Test(arguments: Moment.allCases, [true, false]) func `of a deletion`(_ time: Moment, _ isKeepingSetup: Bool)
        throws
    {
        let house = try household(.refreshed)
        house.server.misbehave(death(0, time))
        #expect(
            house.killing {
                _ = try house.safe.deleteSafe(at: Household.main, isKeepingSetup ? .keepingSetup : .init())
            })
        // Whatever comes next finishes it; deleting again is one of these.
        _ = try? house.safe.deleteSafe(at: Household.main, isKeepingSetup ? .keepingSetup : .init())
        #expect(house.server.backups == [:])
        if isKeepingSetup {
            let result = try house.push()
            #expect(result.outcome == .uploaded)
        } else {
            #expect(throws: SafeKeepingError.noSetup(id: "ABCD1234")) { try house.push() }
            try house.setUp()
            let result = try house.push()
            #expect(result.outcome == .uploaded)
        }
    }

    @Test(arguments: Moment.allCases) func `of a deletion, which no push carries out`(_ time: Moment) throws {
        let house = try household(.refreshed)
        // Fetch, then remove.
        house.server.misbehave(death(1, time))
        #expect(house.killing { _ = try house.safe.deleteSafe(at: Household.main) })
        let before = house.server.backups
        _ = house.server.takeRequests()
        for _ in 0..<2 { #expect(throws: Household.refusal(.deletionInterrupted)) { try house.push() } }
        #expect(house.server.takeRequests() == [])
        #expect(house.server.backups == before)
        let resumed = try house.push { $0.isResumingDeleted = true }
        #expect(resumed.upload != nil)
        #expect(try house.push().outcome == .unchanged)
        _ = try house.safe.deleteSafe(at: Household.main)
        #expect(house.server.backups == [:])
    }

    /// Only before each request: after it is before the next one, and each setup derives a key.
    @Test func `of a setup`() throws {
        let address = try SafeServerAddress(parsing: "file:///memory")
        var number = 0
        while true {
            let house = try Household(isSetUp: false)
            house.server.misbehave(death(number, .before))
            let setUp: () throws -> Void = {
                let password = secret("a password")
                let test = try house.safe.test(SafeEndpoint(address), preparing: true)
                _ = try house.safe.setUpSafe(
                    Household.main, at: SafeEndpoint(address), password: password, test: test)
            }
            guard house.killing(setUp) else { break }
            // Nothing was stored here, so it can be done again. All that can stay is 64 random bytes of the probe.
            #expect(throws: SafeKeepingError.noSetup(id: "ABCD1234")) { try house.push() }
            let left = house.server.backups
            #expect(left.count <= 1 && left.values.allSatisfy { $0.count == 64 }, "request \(number)")
            try setUp()
            #expect(house.server.backups == left, "request \(number)")
            let result = try house.push()
            #expect(result.outcome == .uploaded, "request \(number)")
            number += 1
        }
        // Prepare, config, then store, fetch, store, remove and fetch of the probe, and a look for a backup.
        #expect(number == 8)
    }

    @Test(arguments: Moment.allCases) func `of a pull by the stored key`(_ time: Moment) throws {
        let house = try household(.changed)
        house.server.backups[Household.place] = try Household.appBackup(Household.document("phone"))
        house.server.misbehave(death(0, time))
        #expect(house.killing { try house.pull { $0.isReplacing = true } })
        #expect(try house.profile() == Household.document("second"))
        try house.pull { $0.isReplacing = true }
        #expect(try house.profile() == Household.document("phone"))
    }
}
