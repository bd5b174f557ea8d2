import Encodings
import StoreKit
import Testing

@testable import SafeStore

/// What a sweep decides.
@Suite struct SweepTests {
    /// Twenty backups, of which the first was last put on day 0 and the others on day 150.
    private let backups = (0..<20).map { day($0 == 0 ? 0 : 150) }

    private func report(
        now: Timestamp, monotonic: Duration = .zero, last: (Timestamp, Duration)? = nil, forced: Bool = false,
        retentionDays: Int = 180
    ) -> SweepReport {
        let last = last.map { ClockReading(wall: $0.0, monotonic: $0.1) }
        let now = ClockReading(wall: now, monotonic: monotonic)
        let sweep = Sweep(
            retentionDays: retentionDays, now: now, last: last, deleting: forced ? .always : .unlessSuspicious)
        return decide(sweep, backups)
    }

    private func decide(_ sweep: Sweep, _ lastUploads: [Timestamp]) -> SweepReport {
        var counts = SweepCounts()
        for each in lastUploads {
            let isExpired = counts.add(lastUpload: each, sweep)
            #expect(isExpired == sweep.isExpired(lastUpload: each))
        }
        return sweep.decide(counts)
    }

    @Test func `a backup stays for its term and 30 days, to the millisecond`() {
        #expect(report(now: day(210)).counts == SweepCounts(total: 20))
        #expect(report(now: day(210) + .milliseconds(1)).counts == SweepCounts(total: 20, expired: 1))
        #expect(report(now: day(40), retentionDays: 9).counts.expired == 1)
    }

    @Test func `an even clock is no suspicion`() {
        let even = report(now: day(211), monotonic: .days(3), last: (day(208), .zero))
        #expect(even.suspicion == nil && even.isCarriedOut && even.counts.expired == 1)
        // A day more or less is tolerated: the machine may have slept.
        #expect(report(now: day(211), monotonic: .days(1), last: (day(209), .zero)).suspicion == nil)
    }

    @Test func `a wall clock that jumps or goes back stops the sweep`() {
        let ahead = report(now: day(211), monotonic: .hours(1), last: (day(209), .zero))
        #expect(ahead.suspicion == .jumped(by: .days(2) - .hours(1)) && !ahead.isCarriedOut)
        let behind = report(now: day(211), monotonic: .days(9), last: (day(209), .zero))
        #expect(behind.suspicion == .jumped(by: .zero - .days(7)) && !behind.isCarriedOut)
        let back = report(now: day(211), monotonic: .days(1), last: (day(211) + .milliseconds(1), .zero))
        #expect(back.suspicion == .wentBackwards(by: .milliseconds(1)) && !back.isCarriedOut)
        // A first sweep has nothing to compare with: the store's own time holds then.
        #expect(report(now: day(148)).suspicion == nil)
    }

    private func decide(_ expired: Int, of total: Int, forced: Bool = false) -> SweepReport {
        let backups = (0..<total).map { day($0 < expired ? 0 : 200) }
        let now = ClockReading(wall: day(300), monotonic: .zero)
        return decide(
            Sweep(retentionDays: 180, now: now, last: nil, deleting: forced ? .always : .unlessSuspicious), backups)
    }

    @Test func `more than one in ten stops the sweep, one in ten does not`() {
        #expect(decide(5, of: 50).suspicion == nil)
        #expect(decide(6, of: 50).suspicion == .tooMany(expired: 6, total: 50))
        #expect(decide(4, of: 40).suspicion == nil)
        #expect(decide(4, of: 39).suspicion == .tooMany(expired: 4, total: 39))
        #expect(decide(0, of: 0).suspicion == nil)
        let forced = decide(20, of: 20, forced: true)
        #expect(forced.suspicion == .tooMany(expired: 20, total: 20) && forced.isCarriedOut)
    }

    @Test func `on a small server up to three expire if another one stays`() {
        for (expired, total) in [(1, 2), (1, 9), (2, 3), (3, 4), (3, 20)] {
            let report = decide(expired, of: total)
            #expect(report.suspicion == nil && report.isCarriedOut, "\(expired) of \(total)")
        }
        for total in 1...4 {
            let report = decide(total, of: total)
            #expect(report.suspicion == .tooMany(expired: total, total: total) && !report.isCarriedOut)
        }
        #expect(decide(4, of: 5).suspicion == .tooMany(expired: 4, total: 5))
    }

    @Test func `three million names are many`() {
        #expect(!SweepCounts(total: 9_000_000, names: 2_999_999).isNearLimit)
        #expect(SweepCounts(names: 3_000_000).isNearLimit)
    }

    @Test func `extreme times decide without overflow`() {
        let ends = [Timestamp(milliseconds: .min), Timestamp(milliseconds: .max)]
        for wall in ends {
            for last in ends {
                let reading = ClockReading(wall: last, monotonic: .seconds(Int64.max))
                let now = ClockReading(wall: wall, monotonic: .zero)
                let sweep = Sweep(retentionDays: 3650, now: now, last: reading)
                _ = decide(sweep, ends)
                for each in ends { _ = sweep.isOld(replaced: each) }
            }
        }
    }
}
