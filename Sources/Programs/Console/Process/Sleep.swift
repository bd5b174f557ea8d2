import Encodings
import Glibc
import SecureMemory

/// Waiting on purpose: a fleet of machines must not push in the same second.
package enum Sleep {
    /// A random part of this time. A person at a terminal is told how long.
    package static func random(below limit: Duration, before deed: String, _ output: Output) {
        let time = Duration.milliseconds(Random.number(below: UInt32(clamping: limit.milliseconds)))
        if isatty(STDERR_FILENO) == 1 { output.note("waiting \(words(time)) before \(deed); Ctrl-C cancels it") }
        wait(time)
    }

    /// As durations are typed: `1h 5m 30s`.
    package static func words(_ time: Duration) -> String {
        var rest = Int((time.milliseconds + 999) / 1000)
        var parts: [String] = []
        for (unit, seconds) in [("d", 86_400), ("h", 3600), ("m", 60)] where rest >= seconds {
            parts.append("\(rest / seconds)\(unit)")
            rest %= seconds
        }
        return (parts + ["\(rest)s"]).joined(separator: " ")
    }

    /// Returns after this time.
    package static func wait(_ time: Duration) {
        var rest = time.milliseconds
        // In pieces: usleep takes less than a second.
        while rest > 0 {
            usleep(UInt32(min(rest, 500)) * 1000)
            rest -= 500
        }
    }
}
