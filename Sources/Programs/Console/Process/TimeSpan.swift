import ArgumentParser
import Encodings

/// A length of time: `30s`, `10m`, `24h`, `3d`.
package struct TimeSpan: ExpressibleByArgument {
    /// The time.
    package let duration: Duration
    /// As it was given; help shows a default so.
    package let defaultValueDescription: String

    /// - Returns: nil if the argument is not a number with one of these units.
    package init?(argument: String) {
        defaultValueDescription = argument
        guard let unit = argument.last, let count = Int(argument.dropLast()), (0...1_000_000).contains(count) else {
            return nil
        }
        switch unit {
        case "s": duration = .seconds(count)
        case "m": duration = .seconds(count * 60)
        case "h": duration = .hours(count)
        case "d": duration = .days(count)
        default: return nil
        }
    }
}
