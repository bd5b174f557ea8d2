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
/// `{"sum":1795262400000,"wall":1795262400000,"expected":1795262400000}`.
package struct StoreTime: Hashable, Sendable {
    private var clock: ObservedClock
    /// What a wall clock that was never set back would read; never before that of the last reading.
    private var expected: Timestamp

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
    }

    package var bytes: [UInt8] {
        let members = clock.value?.members ?? []
        return JSONValue.object(members + [.init("expected", .number(expected.milliseconds))]).encoded
    }

    /// Reads the wall clock.
    package mutating func read(_ wall: Timestamp) -> Timestamp {
        var next = clock
        next.read(wall)
        var step = next.sum - clock.sum
        if wall >= expected { step = min(step, wall - expected) }
        expected = max(wall, expected + step)
        clock = ObservedClock(sum: clock.sum + step, wall: wall)
        return Timestamp(milliseconds: clock.sum.milliseconds)
    }

    /// Of two clocks of one store, as two processes have them, the one that has gone further. Neither has seen more
    /// time than has passed, but for one step with each wrong reading; so this one has not, either.
    package func joined(_ other: StoreTime?) -> StoreTime {
        guard let other, other.clock.sum > clock.sum else { return self }
        return other
    }
}
