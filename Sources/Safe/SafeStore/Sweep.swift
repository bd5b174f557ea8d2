public import Encodings
public import SafeWire

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
    /// - Parameter time: read from the store's clock. Without one, it is the wall clock's.
    func at(_ time: Timestamp) -> Sweep {
        var sweep = self
        sweep.time = time
        return sweep
    }

    /// Decides what expires.
    /// - Parameters:
    ///   - backups: all stored backups of the server, with the time of their last PUT.
    ///   - previous: all retained previous backups.
    public func decide(backups: [Dated], previous: [Dated]) -> SweepReport {
        let expired = backups.filter { isOver($0.time, by: term) }
        let old = previous.filter { isOver($0.time, by: keepPrevious) }
        let suspicion = suspicion(expired: expired.count, of: backups)
        let isCarriedOut =
            switch deletion {
            case .unlessSuspicious: suspicion == nil
            case .always: true
            case .never: false
            }
        return SweepReport(
            expired: expired, previous: old, total: backups.count, suspicion: suspicion,
            isCarriedOut: isCarriedOut, isLeftToStore: false)
    }

    private func isOver(_ time: Timestamp, by term: Duration) -> Bool { self.time - time > term }

    private func suspicion(expired: Int, of backups: [Dated]) -> SweepSuspicion? {
        if let last {
            let passed = now.wall - last.wall
            if passed < .zero { return .wentBackwards(by: .zero - passed) }
            let jump = passed - (now.monotonic - last.monotonic)
            if jump > Self.maxClockJump || jump < .zero - Self.maxClockJump { return .jumped(by: jump) }
        }
        let isOfFew = expired <= Self.maxExpiredOfFew && expired < backups.count
        if !isOfFew, expired * Self.maxExpiredOneIn > backups.count {
            return .tooMany(expired: expired, total: backups.count)
        }
        return nil
    }
}

/// A backup, or a previous one, with the time that decides about it.
public struct Dated: Hashable, Sendable {
    /// The id of the backup, also of a previous one.
    public let id: BackupID
    /// The time of the last PUT; of a previous backup, that of its version.
    public let time: Timestamp

    /// - Parameter time: of the last PUT; of a previous backup, that of its version.
    public init(id: BackupID, time: Timestamp) {
        self.id = id
        self.time = time
    }
}

/// Why a sweep deletes nothing unless it is told to delete always.
public enum SweepSuspicion: Equatable, Sendable {
    /// The wall clock is behind an earlier reading of it.
    case wentBackwards(by: Duration)
    /// Since the last sweep, the wall clock has gained this much on the monotonic clock; negative if it has lost.
    case jumped(by: Duration)
    /// More than one in ten backups would go, and more than three or all.
    case tooMany(expired: Int, total: Int)
}

/// The decision of a sweep.
public struct SweepReport: Equatable, Sendable {
    /// The backups whose term is over.
    public let expired: [Dated]
    /// The previous backups whose time is over.
    public let previous: [Dated]
    /// Number of all stored backups.
    public let total: Int
    /// What makes the decision doubtful; nil for nothing.
    public let suspicion: SweepSuspicion?
    /// Whether `expired` and `previous` are deleted: as `Sweep.deletion` says.
    public let isCarriedOut: Bool
    /// Whether the store expires backups by itself, so that nothing was counted or decided.
    public let isLeftToStore: Bool

    /// The report of a store that expires backups by itself.
    package static let leftToStore = SweepReport(
        expired: [], previous: [], total: 0, suspicion: nil, isCarriedOut: false, isLeftToStore: true)
}
