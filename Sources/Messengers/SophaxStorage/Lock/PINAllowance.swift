public import Encodings
internal import SophaxChat

// The record of an allowance: the times of its uses, at most 4 of 8 bytes each, the oldest first: milliseconds since
// 1970, big endian. It is empty without uses.

/// What is allowed 4 times within any 24 hours: a change of a PIN, or a right PIN that clears earlier failures.
public struct PINAllowance: Equatable, Sendable {
    /// How many uses are allowed in a window.
    public static let limit = 4
    /// A use counts for so long.
    public static let window: Duration = .seconds(86_400)

    /// When it was used, the oldest first; at most `limit` times.
    let times: [Timestamp]

    /// An allowance that was not used.
    public static let unused = PINAllowance(times: [])

    init(times: [Timestamp]) { self.times = times }

    /// How long to wait for the next use, at most the window; nil if it is allowed.
    public func delay(at now: Timestamp) -> Duration? {
        let counting = corrected(at: now).times
        guard counting.count == Self.limit else { return nil }
        return counting[0] + Self.window - now
    }

    /// The allowance after a use. The caller has asked for the delay.
    func used(at now: Timestamp) -> PINAllowance {
        PINAllowance(times: corrected(at: now).times.suffix(Self.limit - 1) + [now])
    }

    /// The allowance without uses that no longer count. A use in the future was counted by a wrong clock: it counts from
    /// now on, so that a clock that went back shortens no wait, and makes none longer than the window.
    func corrected(at now: Timestamp) -> PINAllowance {
        PINAllowance(times: times.map { min($0, now) }.filter { now - $0 < Self.window })
    }

    /// The record to store: 8 bytes for each counted event, at most `limit` of them.
    public var encoded: [UInt8] {
        var bytes: [UInt8] = []
        for time in times { bytes.appendNumber(time.milliseconds) }
        return bytes
    }

    /// Reads a record.
    /// - Returns: nil if it is malformed: then nothing is allowed.
    public init?(decoding record: [UInt8]) {
        guard record.count.isMultiple(of: 8), record.count <= 8 * Self.limit else { return nil }
        times = stride(from: 0, to: record.count, by: 8).map { start in
            let bits = record[start..<start + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return Timestamp(milliseconds: Int64(bitPattern: bits))
        }
        guard zip(times, times.dropFirst()).allSatisfy({ $0 <= $1 }) else { return nil }
    }
}
