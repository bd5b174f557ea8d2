package import Encodings
internal import ObservedTime

/// A reading of the wall clock, and the store's time then.
struct StoreReading {
    let wall: Timestamp
    let time: Timestamp

    /// How far the wall clock is ahead.
    var lead: Duration { wall - time }
}

/// The time of a store, by which its backups get old. It begins at the wall clock's and goes on as `ObservedClock`
/// does, so it is a time of day for as long as no clock was wrong and no more than a week has passed between two
/// readings.
///
/// A wall clock that comes back from behind has not gained what it catches up: a machine without a battery reads 1970
/// at each start, and its store would get a week older each night. So only the time after `expected` counts then.
///
/// `DIR/clock` has it as JSON, in milliseconds since 1970:
/// `{"sum":1795262400000,"wall":1795262400000,"expected":1795262400000}`. After a leap, it has `"leap"`, the sum after it,
/// and, if the wall clock has gone back by a day since, `"back":true`.
package struct StoreTime: Hashable, Sendable {
    private var clock: ObservedClock
    /// What a wall clock that was never set back would read; never before that of the last reading.
    private var expected: Timestamp
    /// The sum after the last step that was longer than `ObservedClock.longestStep` and `jitter`.
    private var leap: Duration?
    /// Whether the wall clock has gone back since: then the leap was none of time.
    private var isBack = false

    /// A sweep that runs each week, from cron, may be so much later than a week after the one before.
    private static let jitter = Duration.hours(2)
    /// So long after a leap, what it made older is in doubt. The next sweep of a day is later.
    static let doubtAfterLeap = Duration.hours(12)
    /// The same if the wall clock goes back meanwhile. What the leap made older is then older by this time indeed.
    static let doubtAfterReturn = ObservedClock.longestStep
    /// A wall clock that goes back by less may have been corrected.
    private static let leastReturn = Sweep.maxClockJump

    /// A new clock.
    /// - Parameters:
    ///   - wall: the wall clock.
    ///   - newest: the latest time in the store; nil if it is empty. The first reading, too, may be wrong: if it is
    ///     ahead of everything in the store, the clock begins one step after that, and what is there gets old later. An
    ///     empty store cannot show it: files that clients then put there themselves look older than they are.
    package init(at wall: Timestamp, newest: Timestamp?) {
        let start = newest.map { min(wall, $0 + ObservedClock.longestStep) } ?? wall
        clock = ObservedClock(sum: .milliseconds(start.milliseconds), wall: wall)
        expected = wall
    }

    /// - Returns: nil if this is no stored clock.
    package init?(stored bytes: [UInt8]) {
        guard let value = try? JSONScanner.parse(bytes.span, limits: .init(depth: 2, values: 16)),
            value["sum"]?.integer != nil, let wall = value["wall"]?.integer
        else { return nil }
        clock = ObservedClock(value)
        expected = Timestamp(milliseconds: max(wall, value["expected"]?.integer ?? wall))
        leap = value["leap"]?.integer.map { .milliseconds($0) }
        isBack = value["back"]?.bool ?? false
    }

    package var bytes: [UInt8] {
        var members = clock.value?.members ?? []
        members.append(.init("expected", .number(expected.milliseconds)))
        if let leap { members += [.init("leap", .number(leap.milliseconds)), .init("back", .bool(isBack))] }
        return JSONValue.object(members).encoded
    }

    /// Reads the wall clock.
    package mutating func read(_ wall: Timestamp) -> Timestamp {
        var next = clock
        next.read(wall)
        var step = next.sum - clock.sum
        let last = clock.wall ?? wall
        var gained = wall - last
        if wall >= expected {
            step = min(step, wall - expected)
            gained = min(gained, wall - expected)
        }
        expected = max(wall, expected + step)
        clock = ObservedClock(sum: clock.sum + step, wall: wall)
        if gained > ObservedClock.longestStep + Self.jitter {
            (leap, isBack) = (clock.sum, false)
        } else if last - wall > Self.leastReturn, let leap, clock.sum - leap < Self.doubtAfterReturn {
            isBack = true
        }
        return now
    }

    /// The wall clock at the last reading.
    var wall: Timestamp? { clock.wall }

    /// The time of the last reading.
    var now: Timestamp { Timestamp(milliseconds: clock.sum.milliseconds) }

    /// Whether ages by this clock may be too large now: it leapt, and too little time has passed since.
    var isInDoubt: Bool {
        leap.map { clock.sum - $0 < (isBack ? Self.doubtAfterReturn : Self.doubtAfterLeap) } ?? false
    }

    /// Of two clocks of one store, as two processes have them, the one that has gone further. Neither has seen more
    /// time than has passed, but for one step with each wrong reading; so this one has not, either.
    package func joined(_ other: StoreTime?) -> StoreTime {
        guard let other else { return self }
        let isBehind = other.clock.sum > clock.sum
        var joined = isBehind ? other : self
        let behind = isBehind ? self : other
        if let leap = behind.leap, joined.leap.map({ $0 < leap }) ?? true {
            (joined.leap, joined.isBack) = (leap, behind.isBack)
        }
        joined.isBack = joined.isBack || joined.leap == behind.leap && behind.isBack
        return joined
    }
}
