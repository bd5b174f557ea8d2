/// Says when something is due again that recurs after an interval. It is asked more often than that, so that what
/// becomes due while the machine sleeps is done soon after it wakes: timers stand still meanwhile.
struct Recurrence {
    private let interval: Duration
    private var last: Duration?

    /// Due at once, and again each time after `interval`.
    init(every interval: Duration) { self.interval = interval }

    /// How often to ask.
    var period: Duration { min(interval, .seconds(600)) }

    /// - Parameter now: by a clock that goes on while the machine sleeps.
    /// - Returns: whether it is to be done now. Then the interval begins again.
    mutating func isDue(at now: Duration) -> Bool {
        if let last, now - last < interval { return false }
        last = now
        return true
    }
}
