public import Encodings
public import SafeWire

/// What a sweep has counted. Numbers only: a store may have millions of backups.
public struct SweepCounts: Equatable, Sendable {
    /// All stored backups.
    public var total: Int
    /// Backups whose term is over.
    public var expired: Int
    /// Previous backups whose time is over.
    public var previous: Int
    /// Names of the directory that has most.
    public var names: Int

    /// ext4 has room for about 4.4 million such names in a directory, unless it was made with `large_dir`. Beyond that,
    /// writes fail as on a full disk.
    public static let manyNames = 3_000_000

    /// What a sweep deletes if it is carried out, and nothing changes meanwhile.
    public var over: SweepDeletions { SweepDeletions(expired: expired, previous: previous) }

    /// Whether a directory of the store may soon have no room for another name.
    public var isNearLimit: Bool { names >= Self.manyNames }

    /// Counts of what was found elsewhere.
    public init(total: Int = 0, expired: Int = 0, previous: Int = 0, names: Int = 0) {
        self.total = total
        self.expired = expired
        self.previous = previous
        self.names = names
    }

    /// Counts what was found in another directory.
    mutating func add(_ other: SweepCounts) {
        total += other.total
        expired += other.expired
        previous += other.previous
        names = max(names, other.names)
    }

    /// Counts a backup.
    /// - Parameter lastUpload: by the store's time.
    /// - Returns: whether its term is over.
    mutating func add(lastUpload: Timestamp, _ sweep: Sweep) -> Bool {
        total += 1
        guard sweep.isExpired(lastUpload: lastUpload) else { return false }
        expired += 1
        return true
    }

    /// Counts a previous backup.
    /// - Parameter replaced: when it was replaced or deleted, by the store's time.
    /// - Returns: whether its time is over.
    mutating func add(replaced: Timestamp, _ sweep: Sweep) -> Bool {
        guard sweep.isOld(replaced: replaced) else { return false }
        previous += 1
        return true
    }
}

/// A backup that a sweep finds to be over.
public enum SweptBackup: Equatable, Sendable {
    /// A stored backup, with the time of its last PUT.
    case expired(BackupID, lastUpload: Timestamp)
    /// A previous backup, with the time by which `BackupStore.versions(of:)` names it.
    case previous(BackupID, Timestamp)
}

/// Why a sweep deletes nothing unless it is told to delete always.
public enum SweepSuspicion: Equatable, Sendable {
    /// The wall clock is behind an earlier reading of it.
    case wentBackwards(by: Duration)
    /// Since the last sweep, the wall clock has gained this much on the monotonic clock; negative if it has lost.
    case jumped(by: Duration)
    /// A short time ago, the wall clock was more than a week ahead of the reading before. It was wrong then, or nobody
    /// had used the store for so long.
    case leapt
    /// More than one in ten backups would go, and more than three or all.
    case tooMany(expired: Int, total: Int)
}

/// How many backups a sweep has deleted: no more than it has counted, because one may be stored again meanwhile.
public struct SweepDeletions: Equatable, Sendable {
    /// Backups whose term was over.
    public var expired: Int
    /// Previous backups whose time was over.
    public var previous: Int

    /// Nothing was deleted, unless counts are given.
    public init(expired: Int = 0, previous: Int = 0) {
        self.expired = expired
        self.previous = previous
    }

    /// Of both kinds.
    var total: Int { expired + previous }
}

/// Why the backups of an account were not swept.
public struct SweepFailure: Equatable, Sendable {
    /// Nil for backups without an account, and for the store's own files.
    public let account: AccountName?
    /// What has failed.
    public let error: StoreError
}

/// The decision of a sweep.
public struct SweepReport: Equatable, Sendable {
    /// What it has counted.
    public let counts: SweepCounts
    /// What makes the decision doubtful; nil for nothing.
    public let suspicion: SweepSuspicion?
    /// Whether what is over is deleted: as `Sweep.deletion` says.
    public let isCarriedOut: Bool
    /// What was deleted. Before the deletions, all that is over, if the decision is to be carried out.
    public internal(set) var deleted: SweepDeletions
    /// Whether the store expires backups by itself, so that nothing was counted or decided.
    public let isLeftToStore: Bool
    /// The first failure at the backups of one account. Nothing was decided about those; the others were swept.
    public internal(set) var failure: SweepFailure? = nil

    /// The report of a store that expires backups by itself.
    package static let leftToStore = SweepReport(
        counts: SweepCounts(), suspicion: nil, isCarriedOut: false, deleted: SweepDeletions(), isLeftToStore: true)
}
