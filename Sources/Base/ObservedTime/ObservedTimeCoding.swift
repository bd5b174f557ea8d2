package import Encodings

// A clock and a time as members of a JSON object.

extension ObservedClock {
    /// A new clock without a value.
    package init(_ value: JSONValue?) {
        self.init(
            sum: .milliseconds(value?["sum"]?.integer ?? 0), wall: value?["wall"]?.integer.map(Timestamp.init))
    }

    /// Nil before the first reading.
    package var value: JSONValue? {
        wall.map { ["sum": .number(sum.milliseconds), "wall": .number($0.milliseconds)] }
    }
}

extension ObservedTimestamp {
    /// The time of `NAME_at`, `NAME_sum` and, if it is another one, `NAME_latest`. One of an earlier version, which has
    /// no sum, counts from the beginning of the clock.
    package init?(_ name: String, of value: JSONValue) {
        guard let wall = value[name + "_at"]?.integer else { return nil }
        self.init(
            sum: .milliseconds(value[name + "_sum"]?.integer ?? 0), wall: Timestamp(milliseconds: wall),
            latest: value[name + "_latest"]?.integer.map(Timestamp.init))
    }

    package func members(_ name: String) -> [(String, JSONValue?)] {
        [
            (name + "_at", .number(wall.milliseconds)), (name + "_sum", .number(sum.milliseconds)),
            (name + "_latest", latest == wall ? nil : .number(latest.milliseconds)),
        ]
    }
}
