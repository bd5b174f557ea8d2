internal import Encodings

/// Reads and writes the dates of HTTP headers (RFC 9110, 5.6.7), in GMT. A recipient has to accept three forms; the first
/// one is written.
///
///     Sun, 06 Nov 1994 08:49:37 GMT      IMF-fixdate, the one that servers write
///     Sunday, 06-Nov-94 08:49:37 GMT     RFC 850; two digits of the year: 70 to 99 are 1970 to 1999
///     Sun Nov  6 08:49:37 1994           asctime
package enum HTTPDate {
    /// Longest text that is parsed, in bytes.
    private static let maxBytes = 64

    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    /// `Sun, 06 Nov 1994 08:49:37 GMT`.
    /// - Parameter seconds: since the epoch; years outside 0...9999 are clamped.
    package static func text(_ seconds: Int64) -> String {
        let time = Timestamp(milliseconds: seconds * 1000)
        // 1994-11-06T08:49:37Z
        let parts = time.rfc3339.split { $0 == "-" || $0 == "T" || $0 == "Z" }
        // The first day was a Thursday.
        let weekday = weekdays[Int(((time.dayNumber % 7) + 11) % 7)]
        let month = months[(Int(parts[1]) ?? 1) - 1]
        let name = month.prefix(1).uppercased() + month.dropFirst()
        return "\(weekday), \(parts[2]) \(name) \(parts[0]) \(parts[3]) GMT"
    }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

    /// - Returns: seconds since the epoch; nil for any other text and for a leap second. The weekday is not checked.
    package static func seconds(of text: String) -> Int? {
        guard text.utf8.count <= maxBytes, text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let words = text.lowercased().split { $0 == " " || $0 == "," }
        switch words.count {
        case 6 where words[5] == "gmt": return seconds(words[3], words[2], words[1], words[4])
        case 5: return seconds(words[4], words[1], words[2], words[3])
        case 4 where words[3] == "gmt":
            let date = words[1].split(separator: "-", omittingEmptySubsequences: false)
            guard date.count == 3, date[2].count == 2, let year = number(date[2], 0...99) else { return nil }
            return seconds("\(year < 70 ? 2000 + year : 1900 + year)", date[1], date[0], words[2])
        default: return nil
        }
    }

    private static func seconds(_ year: Substring, _ month: Substring, _ day: Substring, _ time: Substring) -> Int? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false)
        guard year.count == 4, let year = number(year, 0...9999),
            let month = months.firstIndex(of: String(month)), let day = number(day, 1...31), clock.count == 3,
            let hour = number(clock[0], 0...23), let minute = number(clock[1], 0...59),
            let second = number(clock[2], 0...59)
        else { return nil }
        // Refuses the 30th of February.
        let compact =
            padded(year, 4) + padded(month + 1, 2) + padded(day, 2) + "T" + padded(hour, 2) + padded(minute, 2)
            + padded(second, 2) + "000Z"
        return Timestamp(compact: compact).map { Int($0.milliseconds / 1000) }
    }

    private static func number(_ text: Substring, _ range: ClosedRange<Int>) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = Int(text), range.contains(number)
        else { return nil }
        return number
    }

    private static func padded(_ number: Int, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}
