import Encodings
import StoreKit
import Testing

@testable import SafeStore

/// A wall clock that gains more than a week between two readings.
@Suite struct StoreLeapTests {
    /// A store that was read each day, until day 0.
    private func store() -> StoreTime {
        var time = StoreTime(at: day(-1), newest: nil)
        _ = time.read(day(0))
        return time
    }

    @Test func `what was replaced just before stays after a start with a clock that is ahead`() {
        var time = store()
        let replaced = time.now
        var deletedOn: Int?
        for (wall, number) in [(day(365), 0)] + (0...20).map({ (day($0), $0) }) {
            _ = time.read(wall)
            time = StoreTime(stored: time.bytes)!
            let sweep = Sweep(
                retentionDays: 180, now: ClockReading(wall: wall, monotonic: .zero), last: nil
            ).at(time.now, isInDoubt: time.isInDoubt)
            if sweep.isOld(replaced: replaced), sweep.decide(SweepCounts(total: 1, previous: 1)).isCarriedOut {
                deletedOn = deletedOn ?? number
            }
        }
        #expect(deletedOn == 7)
    }

    @Test func `a server that was off is in doubt for half a day`() {
        var time = store()
        _ = time.read(day(7))
        #expect(!time.isInDoubt)
        // A sweep by cron may be a little late.
        _ = time.read(day(14) + .hours(1))
        #expect(!time.isInDoubt)
        time = store()
        _ = time.read(day(7))
        _ = time.read(day(14) + .hours(3))
        #expect(time.isInDoubt)
        _ = time.read(day(14) + .hours(12))
        #expect(time.isInDoubt)
        // A clock that is corrected by less than a day was not wrong by a week.
        _ = time.read(day(14))
        _ = time.read(day(15))
        #expect(!time.isInDoubt)
        _ = time.read(day(400))
        #expect(time.isInDoubt)
    }

    @Test func `a machine that starts in 1970 is in no doubt`() {
        var time = store()
        for number in 1...20 {
            _ = time.read(Timestamp(milliseconds: 0))
            _ = time.read(day(number))
            #expect(!time.isInDoubt)
        }
    }

    @Test func `another process learns of the doubt`() throws {
        let before = store()
        var ahead = before
        _ = ahead.read(day(365))
        #expect(before.joined(ahead).isInDoubt && ahead.joined(before).isInDoubt)
        var further = before
        for number in 1...8 { _ = further.read(day(number)) }
        #expect(!further.isInDoubt && further.now > ahead.now)
        var back = ahead
        _ = back.read(day(1))
        for joined in [back.joined(ahead), ahead.joined(back)] {
            var joined = joined
            _ = joined.read(day(365))
            _ = joined.read(day(366))
            #expect(joined.isInDoubt)
        }
    }

    @Test func `a sweep in doubt deletes nothing unless it is forced`() {
        let now = ClockReading(wall: day(9), monotonic: .zero)
        let counts = SweepCounts(total: 20, previous: 3)
        let report = Sweep(retentionDays: 180, now: now, last: nil).at(day(9), isInDoubt: true).decide(counts)
        #expect(report.suspicion == .leapt && !report.isCarriedOut)
        let forced = Sweep(retentionDays: 180, now: now, last: nil, deleting: .always).at(day(9), isInDoubt: true)
        #expect(forced.decide(counts).isCarriedOut)
    }
}
