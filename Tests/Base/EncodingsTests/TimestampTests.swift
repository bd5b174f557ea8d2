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
        ] as [(Int64, String)]) func `a timestamp is written in UTC`(_ milliseconds: Int64, _ text: String)
    {
        let timestamp = Timestamp(milliseconds: milliseconds)
        #expect(timestamp.rfc3339 == text)
        #expect(timestamp.day == text.prefix(10))
    }

    @Test(
        arguments: [
            (1_795_230_000_123, "20261121T030000123Z"), (0, "19700101T000000000Z"), (-1, "19691231T235959999Z"),
            (951_782_400_007, "20000229T000000007Z"), (253_402_300_799_999, "99991231T235959999Z"),
            (-62_167_219_200_000, "00000101T000000000Z"),
        ] as [(Int64, String)]) func `a timestamp is part of a file name`(_ milliseconds: Int64, _ text: String)
    {
        #expect(Timestamp(milliseconds: milliseconds).compact == text)
        #expect(Timestamp(compact: text) == Timestamp(milliseconds: milliseconds))
    }

    @Test func `timestamps outside of these years are clamped in a file name`() {
        #expect(Timestamp(milliseconds: .max).compact == "99991231T235959999Z")
        #expect(Timestamp(milliseconds: .min).compact == "00000101T000000000Z")
    }

    @Test(arguments: [
        "", "20261121T030000123", "20261121T030000123z", "20261121t030000123Z", "20261121T03000012Z",
        "20261121T0300001234Z", "2026112 T030000123Z", "20261301T030000123Z", "20260001T030000123Z",
        "20260229T030000123Z", "20261100T030000123Z", "20261121T240000123Z", "20261121T036000123Z",
        "20261121T030060123Z", "+0261121T030000123Z", "20261121T030000123Z ", "2026112１T030000123Z",
    ]) func `no other text is a timestamp in a file name`(_ text: String) {
        #expect(Timestamp(compact: text) == nil)
    }

    @Test func `every day of 800 years agrees with Foundation`() {
        // Foundation's calendar is Julian before 1582; both are Gregorian here.
        let style = Date.ISO8601FormatStyle()
        for day in 0..<800 * 365 {
            let seconds = -10_000_000_000 + day * 86_400 + day % 86_400
            let timestamp = Timestamp(milliseconds: Int64(seconds) * 1000)
            let expected = Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(style)
            if timestamp.rfc3339 != expected { #expect(timestamp.rfc3339 == expected) }
        }
    }

    @Test func `timestamps are ordered, apart, and moved`() {
        let timestamp = Timestamp(milliseconds: 1_000)
        #expect(timestamp < timestamp + .milliseconds(1))
        #expect(timestamp + .hours(23) == Timestamp(milliseconds: 82_801_000))
        #expect(timestamp + .days(-1) == Timestamp(milliseconds: -86_399_000))
        #expect((timestamp + .days(90)) - timestamp == .days(90))
        #expect(timestamp - (timestamp + .seconds(1)) == .seconds(-1))
    }

    @Test func `timestamps saturate`() {
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
