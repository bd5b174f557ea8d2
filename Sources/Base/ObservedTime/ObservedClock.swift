public import Encodings

/// A store's own clock, which no single wrong reading of the wall clock can push far ahead or back.
///
/// It is a sum: each reading adds the time since the last reading, but at least nothing and at most `longestStep`. Ages
/// that let something be deleted are asked of the sum alone. So a wall clock that is wrong in one reading lets nothing
/// expire more than one step early, and delays nothing for longer than it is wrong. A store that is read less often than
/// once a step deletes later, never earlier.
///
///     var clock = stored.clock
///     let now = clock.read(wall)           // stored again, if the store is written at all
///     if clock.age(of: entry.sum) > .days(90) { remove(entry) }
public struct ObservedClock: Hashable, Sendable {
    /// Most time that passes between two readings.
    public static let longestStep = Duration.days(7)

    /// The time that was observed up to the last reading; zero at the first one.
    public private(set) var sum: Duration
    /// The wall clock at the last reading; nil before the first one.
    public private(set) var wall: Timestamp?

    /// A clock as it was stored, or a new one. Every value is valid: a negative sum counts as zero.
    public init(sum: Duration = .zero, wall: Timestamp? = nil) {
        self.sum = max(.zero, sum)
        self.wall = wall
    }

    /// Reads the wall clock.
    /// - Returns: the time, to be stored with an event.
    @discardableResult
    public mutating func read(_ wall: Timestamp) -> ObservedTimestamp {
        let last = self.wall ?? wall
        sum += min(max(wall - last, .zero), Self.longestStep)
        self.wall = wall
        return ObservedTimestamp(sum: sum, wall: wall, latest: max(wall, last))
    }

    /// The observed age of an event. One that is ahead of the clock has age zero.
    /// - Parameter event: the `sum` at the event; nil for an event without one, which counts from the beginning of this
    ///   clock.
    public func age(of event: Duration?) -> Duration { max(.zero, sum - max(.zero, event ?? .zero)) }
}

/// When something happened: by a store's clock, and by the wall clock.
public struct ObservedTimestamp: Hashable, Sendable {
    /// The sum of the store's clock.
    public let sum: Duration
    /// The wall clock, for people.
    public let wall: Timestamp
    /// The wall clock, or that of the reading before if it was later. Of two readings that contradict each other, the
    /// later one is either right or in the future, where it counts as unknown.
    public let latest: Timestamp

    /// A timestamp as it was stored. Every value is valid.
    /// - Parameter latest: nil if it is the same as `wall`.
    public init(sum: Duration, wall: Timestamp, latest: Timestamp? = nil) {
        self.sum = max(.zero, sum)
        self.wall = wall
        self.latest = max(wall, latest ?? wall)
    }

    /// The age for an alarm: the larger one of the observed age and that by the wall clock. Where the wall clock is
    /// behind this timestamp, one of them is wrong, and the observed age alone counts.
    /// - Parameter clock: the store's clock, already read.
    public func alarmAge(by clock: ObservedClock) -> Duration {
        max(clock.age(of: sum), (clock.wall ?? latest) - latest)
    }
}
