/// When a store is asked whether it is ready, as a pure value: at most once in five seconds, and by one caller at a time.
struct ReadinessState {
    static let path = "/ready"
    /// How long a report is given again.
    static let interval = Duration.seconds(5)
    /// How long callers wait for a report.
    static let timeout = Duration.seconds(5)

    private var last: (report: ReadinessReport, end: Duration)?
    private var begin: Duration?

    enum Decision: Equatable {
        /// This report, which is new enough.
        case known(ReadinessReport)
        /// Ask the store, and call `ended`.
        case ask
        /// The store is being asked.
        case wait
        /// The store has been asked, and has not answered in time.
        case isSilent
    }

    /// - Parameter now: by the monotonic clock.
    mutating func decide(at now: Duration) -> Decision {
        if let begin { return now - begin < Self.timeout ? .wait : .isSilent }
        if let last, now - last.end < Self.interval { return .known(last.report) }
        begin = now
        return .ask
    }

    /// The store has answered.
    mutating func ended(_ report: ReadinessReport, at now: Duration) {
        last = (report, now)
        begin = nil
    }
}
