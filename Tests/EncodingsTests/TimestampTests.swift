import Encodings
import Foundation
import Testing

@Suite struct TimestampTests {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (999, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"),
            (-1000, "1969-12-31T23:59:59Z"), (951_782_399_000, "2000-02-28T23:59:59Z"),
            (951_782_400_000, "2000-02-29T00:00:00Z"), (1_795_230_000_123, "2026-11-21T03:00:00Z"),
            (4_107_542_399_999, "2100-02-28T23:59:59Z"), (4_107_542_400_000, "2100-03-01T00:00:00Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59Z"), (253_402_300_800_000, "9999-12-31T23:59:59Z"),
            (.max, "9999-12-31T23:59:59Z"), (-62_167_219_200_000, "0000-01-01T00:00:00Z"),
            (-62_167_219_200_001, "0000-01-01T00:00:00Z"), (.min, "0000-01-01T00:00:00Z"),
        ] as [(Int64, String)]) func `a moment is written in UTC`(_ milliseconds: Int64, _ text: String)
    {
        let moment = Timestamp(milliseconds: milliseconds)
        #expect(moment.rfc3339 == text)
        #expect(moment.day == text.prefix(10))
    }

    @Test func `every day of 800 years agrees with Foundation`() {
        // Foundation's calendar is Julian before 1582; both are Gregorian here.
        let style = Date.ISO8601FormatStyle()
        for day in 0..<800 * 365 {
            let seconds = -10_000_000_000 + day * 86_400 + day % 86_400
            let moment = Timestamp(milliseconds: Int64(seconds) * 1000)
            let expected = Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(style)
            if moment.rfc3339 != expected { #expect(moment.rfc3339 == expected) }
        }
    }

    @Test func `moments are ordered, apart, and moved`() {
        let moment = Timestamp(milliseconds: 1_000)
        #expect(moment < moment + .milliseconds(1))
        #expect(moment + .hours(23) == Timestamp(milliseconds: 82_801_000))
        #expect(moment + .days(-1) == Timestamp(milliseconds: -86_399_000))
        #expect((moment + .days(90)) - moment == .days(90))
        #expect(moment - (moment + .seconds(1)) == .seconds(-1))
    }

    @Test func `moments saturate`() {
        let first = Timestamp(milliseconds: .min)
        let last = Timestamp(milliseconds: .max)
        #expect(last + .milliseconds(1) == last)
        #expect(first + .milliseconds(-1) == first)
        #expect(last + .seconds(Int64.max) == last)
        #expect(first + .seconds(Int64.min) == first)
        #expect(last - first == .milliseconds(Int64.max))
        #expect(first - last == .milliseconds(Int64.min))
        #expect(first - Timestamp(milliseconds: 1) == .milliseconds(Int64.min))
        #expect(Timestamp(milliseconds: 0) - first == .milliseconds(Int64.max))
    }

    @Test func `durations have whole milliseconds`() {
        #expect(Duration.microseconds(1_999).milliseconds == 1)
        #expect(Duration.microseconds(-1_999).milliseconds == -1)
        #expect(Duration.days(2).milliseconds == 172_800_000)
        #expect(Duration.hours(-1).milliseconds == -3_600_000)
        #expect(Duration.seconds(Int64.max).milliseconds == .max)
        #expect(Duration.seconds(Int64.min).milliseconds == .min)
    }
}
