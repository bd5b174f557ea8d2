import Encodings
import ObservedTime
import SafeRules
import Testing

/// Which backups of a history stay.
@Suite struct RetentionTests {
    /// Noon of 2026-11-21, a Saturday.
    private static let noon = Timestamp(milliseconds: 1_795_262_400_000)

    /// One backup a day, the newest first.
    private static let days = (0..<800).map { noon + .days(-$0) }

    private func kept(_ retention: Retention, _ timestamps: [Timestamp] = days) -> [Int] {
        retention.kept(timestamps).sorted()
    }

    @Test func `the newest`() {
        #expect(kept(Retention(last: 3)) == [0, 1, 2])
        #expect(kept(Retention(last: 3), [Self.noon]) == [0])
        #expect(kept(Retention()) == [])
        #expect(kept(Retention(last: -1, daily: -1)) == [])
        #expect(kept(.standard, []) == [])
    }

    @Test func `the newest of each day, week and month`() {
        #expect(kept(Retention(daily: 3)) == [0, 1, 2])
        let hours = (0..<100).map { Self.noon + .hours(-$0) }
        // Noon of today, then 23 h of each day before.
        #expect(kept(Retention(daily: 3), hours) == [0, 13, 37])
        // Saturday, then each Sunday: weeks begin on Monday.
        #expect(kept(Retention(weekly: 3)) == [0, 6, 13])
        // 21 November, then the last of October and September.
        #expect(kept(Retention(monthly: 3)) == [0, 21, 52])
    }

    @Test func `days without a backup do not count`() {
        let timestamps = [0, 10, 10, 30, 400].map { Self.noon + .days(-$0) }
        #expect(kept(Retention(daily: 3), timestamps) == [0, 1, 3])
        #expect(kept(Retention(monthly: 4), timestamps) == [0, 3, 4])
    }

    @Test func `all rules together`() {
        let kept = kept(.standard)
        #expect(kept.prefix(7) == [0, 1, 2, 3, 4, 5, 6])
        #expect(kept.count == 7 + 2 + 11)
        // A year later the same rules keep no more.
        let again = Retention.standard.kept(kept.map { Self.days[$0] })
        #expect(again.count == kept.count)
    }

    @Test func `each run of a year keeps the same as one at its end`() {
        var left: [Timestamp] = []
        for day in Self.days.reversed() {
            left.insert(day, at: 0)
            let kept = Retention.standard.kept(left)
            left = left.indices.filter(kept.contains).map { left[$0] }
        }
        #expect(left == kept(.standard).map { Self.days[$0] })
    }

    @Test func `a time that contradicts its neighbours takes the place of no other`() {
        // One a week; the newest is a hundred days ahead.
        func stored(_ walls: [Int]) -> [ObservedTimestamp] {
            walls.enumerated().map { index, day in
                ObservedTimestamp(sum: .days(700 - 7 * index), wall: Self.noon + .days(day))
            }
        }
        let right = (0..<60).map { -7 * $0 }
        let wrong = [100] + right.dropFirst()
        #expect(Retention.standard.kept(stored(wrong)).isSuperset(of: Retention.standard.kept(stored(right))))
        // By the wall clock alone, the hundred days cost a month.
        let byWall = Retention.standard.kept(wrong.map { Self.noon + .days($0) })
        #expect(!byWall.isSuperset(of: Retention.standard.kept(stored(right))))
        // Later, with newer ones beside it, and after one that was behind.
        let later = [0, -7, 100, -21, -28, -4000] + right.dropFirst(6)
        #expect(Retention.standard.kept(stored(later)).isSuperset(of: Retention.standard.kept(stored(right))))
    }

    @Test func `any time is some day`() {
        let extremes = [Int64.max, 0, -1, Int64.min].map { Timestamp(milliseconds: $0) }
        #expect(kept(Retention(daily: 9, weekly: 9, monthly: 9), extremes) == [0, 1, 2, 3])
    }
}
