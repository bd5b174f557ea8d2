/// A point in time: milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
public struct Timestamp: Comparable, Hashable, Sendable {
    /// Milliseconds since the epoch; negative before it.
    public let milliseconds: Int64

    /// Creates a timestamp. Every value is valid.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Whether `left` is earlier than `right`.
    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

    /// Adds a duration. The result saturates instead of overflowing, because a timestamp may come from an untrusted
    /// file.
    public static func + (timestamp: Timestamp, duration: Duration) -> Timestamp {
        Timestamp(milliseconds: clamped(timestamp.milliseconds.addingReportingOverflow(duration.milliseconds)))
    }

    /// The time from `right` to `left`, saturating.
    public static func - (left: Timestamp, right: Timestamp) -> Duration {
        .milliseconds(clamped(left.milliseconds.subtractingReportingOverflow(right.milliseconds)))
    }

    private static func clamped(_ result: (partialValue: Int64, overflow: Bool)) -> Int64 {
        // An overflow wraps to the other sign.
        result.overflow ? (result.partialValue < 0 ? .max : .min) : result.partialValue
    }

    /// `2026-11-21T03:00:00Z` (RFC 3339, UTC, whole seconds); years outside 0...9999 are clamped.
    public var rfc3339: String {
        let second = clampedToYears.milliseconds.floorDivided(by: 1000)
        let days = second.floorDivided(by: 86_400)
        let rest = second - days * 86_400
        return "\(Self.date(days))T\(two(rest / 3600)):\(two(rest / 60 % 60)):\(two(rest % 60))Z"
    }

    /// `20261121T030000123Z`: UTC with milliseconds, for file names that sort by time. Years outside 0...9999 are
    /// clamped.
    package var compact: String {
        let milliseconds = clampedToYears.milliseconds
        let rest = milliseconds - milliseconds.floorDivided(by: 1000) * 1000
        let digits = rfc3339.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ":") }.dropLast()
        return String(decoding: digits, as: UTF8.self) + (rest < 100 ? "0" : "") + "\(two(rest))Z"
    }

    /// - Parameter text: in the form of `compact`.
    /// - Returns: nil for any other text.
    package init?(compact text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 19 else { return nil }
        func number(_ range: Range<Int>) -> Int64? { Int64(String(decoding: bytes[range], as: UTF8.self)) }
        guard let year = number(0..<4), let month = number(4..<6), let day = number(6..<8), let hour = number(9..<11),
            let minute = number(11..<13), let second = number(13..<15), let rest = number(15..<18)
        else { return nil }
        let seconds = Self.days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second
        self.init(milliseconds: seconds * 1000 + rest)
        // Signs, the 30th of February, a minute of 60 seconds.
        guard compact.utf8.elementsEqual(bytes) else { return nil }
    }

    /// The nearest timestamp in the years 0...9999.
    private var clampedToYears: Timestamp {
        Timestamp(milliseconds: min(max(milliseconds, -62_167_219_200_000), 253_402_300_799_999))
    }

    /// `2026-11-21`: the day in UTC.
    package var day: String { String(rfc3339.prefix(10)) }

    /// Number of the day in UTC, counted from 1970-01-01.
    package var dayNumber: Int64 { milliseconds.floorDivided(by: 86_400_000) }

    /// Number of the week in UTC. A week begins on Monday; 1970-01-01 was a Thursday.
    package var weekNumber: Int64 { (dayNumber + 3).floorDivided(by: 7) }

    /// Number of the month in UTC, counted from January of the year 0. Years outside 0...9999 are clamped.
    package var monthNumber: Int64 {
        let parts = day.split(separator: "-").compactMap { Int64($0) }
        return parts[0] * 12 + parts[1] - 1
    }

    // Days to a date of the Gregorian calendar, by eras of 400 years that begin on 1 March.
    private static func date(_ days: Int64) -> String {
        let shifted = days + 719_468
        let era = shifted.floorDivided(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        let digits = String(year)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "-\(two(month))-\(two(day))"
    }

    // The reverse, for a month of 1...12.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear.floorDivided(by: 400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

private func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }

extension Int64 {
    fileprivate func floorDivided(by divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}

extension Duration {
    /// Whole milliseconds, saturating.
    package var milliseconds: Int64 {
        let (product, isTooLarge) = components.seconds.multipliedReportingOverflow(by: 1000)
        let (sum, isTooLargeWithRest) = product.addingReportingOverflow(components.attoseconds / 1_000_000_000_000_000)
        guard isTooLarge || isTooLargeWithRest else { return sum }
        return components.seconds < 0 ? .min : .max
    }

    /// A duration of `hours` times 3600 seconds.
    public static func hours(_ hours: Int) -> Duration { .seconds(hours * 3600) }
    /// A duration of `days` times 24 hours.
    public static func days(_ days: Int) -> Duration { .hours(days * 24) }
}
