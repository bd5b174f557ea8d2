public import Encodings

/// A wall clock and a monotonic clock, read together. The monotonic one goes on evenly, from any beginning.
public struct ClockReading: Equatable, Sendable {
    /// The time of day, by which backups are dated. It may be set wrong, and jump.
    public let wall: Timestamp
    /// The time since any beginning. It shows whether the wall clock has jumped.
    public let monotonic: Duration

    /// - Parameter monotonic: since any beginning, for example the start of the machine.
    public init(wall: Timestamp, monotonic: Duration) {
        self.wall = wall
        self.monotonic = monotonic
    }
}

/// Decides which backups of a server expire. A clock that is wrong must not cost backups: ages are asked of the store's
/// own time, and a sweep deletes nothing if one of its clocks or the number of expired backups is suspicious.
public struct Sweep: Equatable, Sendable {
    /// The time for which a server retains a backup after its last PUT, beyond `retentionDays`. An iOS app uploads
    /// again only after the full term.
    public static let grace = Duration.days(30)
    /// How long previous backups are retained, if the operator does not say.
    public static let defaultKeepPrevious = Duration.days(7)
    /// Largest difference of the two clocks since the last sweep.
    public static let maxClockJump = Duration.days(1)
    /// One in this many backups may expire in one sweep.
    public static let maxExpiredOneIn = 10
    /// So many backups may expire in one sweep of a small server, if others stay. Their recent PUTs show that the clock
    /// is right; if every backup would go, nothing shows it.
    public static let maxExpiredOfFew = 3

    /// The clocks at this sweep.
    public let now: ClockReading
    /// The time of the store at this sweep, by which all ages count.
    public private(set) var time: Timestamp
    /// Whether ages by this time may be too large.
    private var isInDoubt = false
    /// The clocks at the last sweep of this process; nil for its first.
    public let last: ClockReading?
    /// How long a backup stays after its last PUT.
    public let term: Duration
    /// How long a backup stays after it was replaced or deleted.
    public let keepPrevious: Duration
    /// When it deletes what it decides to delete.
    public let deletion: Deletion

    /// When a sweep deletes.
    public enum Deletion: Sendable {
        /// If neither a clock nor the number of expired backups is suspicious.
        case unlessSuspicious
        /// Also under a suspicion.
        case always
        /// Never: it only decides.
        case never
    }

    /// - Parameters:
    ///   - retentionDays: that of the document `config`.
    ///   - last: the clocks at the last sweep of this process; nil for its first.
    public init(
        retentionDays: Int, keepPrevious: Duration = Sweep.defaultKeepPrevious, now: ClockReading,
        last: ClockReading?, deleting deletion: Deletion = .unlessSuspicious
    ) {
        self.now = now
        time = now.wall
        self.last = last
        term = .days(retentionDays) + Self.grace
        self.keepPrevious = keepPrevious
        self.deletion = deletion
    }

    /// The same sweep of a store with a clock of its own.
    /// - Parameters:
    ///   - time: read from the store's clock. Without one, it is the wall clock's.
    ///   - isInDoubt: whether that clock leapt a short time ago.
    func at(_ time: Timestamp, isInDoubt: Bool = false) -> Sweep {
        var sweep = self
        sweep.time = time
        sweep.isInDoubt = isInDoubt
        return sweep
    }

    /// Whether the term of a backup is over.
    /// - Parameter lastUpload: by the store's time.
    func isExpired(lastUpload: Timestamp) -> Bool { time - lastUpload > term }

    /// Whether a previous backup was retained for long enough.
    /// - Parameter replaced: when it was replaced or deleted, by the store's time.
    func isOld(replaced: Timestamp) -> Bool { time - replaced > keepPrevious }

    /// Decides whether to delete what is over.
    /// - Parameter counts: of all backups of the server, with those that this sweep calls expired and old.
    public func decide(_ counts: SweepCounts) -> SweepReport {
        let suspicion = suspicion(expired: counts.expired, of: counts.total)
        let isCarriedOut =
            switch deletion {
            case .unlessSuspicious: suspicion == nil
            case .always: true
            case .never: false
            }
        return SweepReport(
            counts: counts, suspicion: suspicion, isCarriedOut: isCarriedOut,
            deleted: isCarriedOut ? counts.over : SweepDeletions(), isLeftToStore: false)
    }

    private func suspicion(expired: Int, of total: Int) -> SweepSuspicion? {
        if let last {
            let passed = now.wall - last.wall
            if passed < .zero { return .wentBackwards(by: .zero - passed) }
            let jump = passed - (now.monotonic - last.monotonic)
            if jump > Self.maxClockJump || jump < .zero - Self.maxClockJump { return .jumped(by: jump) }
        }
        if isInDoubt { return .leapt }
        let isOfFew = expired <= Self.maxExpiredOfFew && expired < total
        if !isOfFew, expired * Self.maxExpiredOneIn > total { return .tooMany(expired: expired, total: total) }
        return nil
    }
}
