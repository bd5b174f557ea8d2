package import AtomicFiles
public import Encodings
public import SafeWire

/// What a backup was at a time in the past.
public enum PastBackup: Equatable, Sendable {
    /// The present one.
    case present
    /// A previous one.
    case previous(BackupVersion)
    /// Not there: it was uploaded later, or had been deleted.
    case absent

    /// The newest one that was uploaded at the time or before it. It may be older than what was there then, because not
    /// all previous backups are retained.
    /// - Parameters:
    ///   - present: when the present backup was uploaded, by the wall clock; nil if there is none.
    ///   - versions: the retained previous ones, in any order.
    ///   - lead: how far the wall clock is ahead of the store's time.
    init(at time: Timestamp, present: Timestamp?, versions: [BackupVersion], lead: Duration) {
        if let present, present <= time {
            self = .present
            return
        }
        let uploaded = versions.filter { $0.time <= time }
        guard let newest = uploaded.max(by: { ($0.time, $0.replaced) < ($1.time, $1.replaced) }) else {
            self = .absent
            return
        }
        // Earlier releases did not mark what was deleted. If nothing was uploaded after it, it was.
        let isLast = present == nil && uploaded.count == versions.count
        self = (newest.isDeleted || isLast) && newest.replaced + lead <= time ? .absent : .previous(newest)
    }

    /// Whether it was there at the time: it is not an older one in the place of one that is not retained.
    /// - Parameters: as above.
    func isExact(at time: Timestamp, lead: Duration) -> Bool {
        guard case .previous(let version) = self else { return true }
        return version.replaced + lead > time
    }
}

/// What a backup was, and what is there now.
public struct PastState: Equatable, Sendable {
    /// The id.
    public let id: BackupID
    /// What it was.
    public let backup: PastBackup
    /// False if the one that was there at the time is not retained any more, and `backup` is an older one.
    public let isExact: Bool
    /// The last upload of the stored backup, by the store's time; nil if none is stored.
    let lastUpload: Timestamp?
    /// The entity tag of the stored backup, if it may be replaced: two uploads have one time if the store's time stands
    /// still. Nil also if a backup cannot be read, which is a reason to replace it.
    let presentTag: String?

    /// Whether a backup of the id is stored now.
    public var isPresent: Bool { lastUpload != nil }
}

/// Which backups are to be what they were.
public enum PastChoice: Equatable, Sendable {
    /// All that are stored or have previous ones, as they were at a time by the wall clock. A backup whose bytes are
    /// those of that time is `.present`.
    case all(at: Timestamp)
    /// One, as it was uploaded at a time of `versions(of:)`. It is `.absent` if no such previous backup is retained.
    case single(BackupID, uploaded: Timestamp)
}

/// What a restore would do, to be confirmed before it is done.
public struct RestorePlan: Equatable, Sendable {
    let choice: PastChoice
    /// By id. Those that were `.previous` are stored again.
    public let states: [PastState]
}

extension FolderStore {
    /// Looks what the backups were, and changes nothing.
    /// - Parameter wall: the present time.
    public func plan(_ choice: PastChoice, now wall: Timestamp) throws(StoreError) -> RestorePlan {
        try answered { () throws(FileError) in try planned(choice, now: wall) }
    }

    /// Stores previous backups again. They stay among the previous ones. Meanwhile, all other writes wait, and no
    /// previous backup is removed for being one too many.
    /// - Parameter wall: the present time.
    /// - Returns: false if a new plan would be another one; then nothing was changed.
    /// - Throws: `StoreError`; then some of the backups may be restored. `.unavailable` also if a sweep has removed a
    ///   previous backup meanwhile: sweeps do not wait for the lock to do that.
    public func restore(_ plan: RestorePlan, now wall: Timestamp) throws(StoreError) -> Bool {
        let now = try date(wall)
        let isRestored = try locked(isShared: false) { backups throws(FileError) -> Bool? in
            guard try planned(plan.choice, now: wall) == plan else { return false }
            for state in plan.states {
                guard case .previous(let version) = state.backup else { continue }
                guard let old = try previous(state.id, at: version.time) else { return nil }
                _ = try change(state.id, to: old, in: backups, at: now)
            }
            return true
        }
        guard let isRestored else { throw .unavailable }
        return isRestored
    }

    private func planned(_ choice: PastChoice, now wall: Timestamp) throws(FileError) -> RestorePlan {
        switch choice {
        case .all(let time):
            return RestorePlan(choice: choice, states: try states(at: time, now: wall))
        case .single(let id, let time):
            let version = try allVersions(of: id).first { $0.time == time }
            let present = try backups().plainFile(id.hex)
            let state = PastState(
                id: id, backup: version.map(PastBackup.previous) ?? .absent, isExact: true,
                lastUpload: present.map { Timestamp(milliseconds: $0.modified) },
                presentTag: (try? backup(id)).map(EntityTag.of))
            return RestorePlan(choice: choice, states: [state])
        }
    }

    /// How far the wall clock is ahead of the store's time.
    package func lead(of wall: Timestamp) throws(FileError) -> Duration { try clock?.lead(of: wall) ?? .zero }

    private func states(at time: Timestamp, now wall: Timestamp) throws(FileError) -> [PastState] {
        let lead = try lead(of: wall)
        var present: [BackupID: Timestamp] = [:]
        try eachBackup { name, lastUpload, _ in
            if let id = BackupID(name: name) { present[id] = lastUpload }
        }
        var versions: [BackupID: [BackupVersion]] = [:]
        try eachPreviousDirectory { directory, _ throws(FileError) in
            for file in try Self.files(of: nil, in: directory).files {
                versions[file.name.id, default: []].append(file.version)
            }
        }
        var all: [PastState] = []
        for id in Set(present.keys).union(versions.keys).sorted(by: { $0.hex < $1.hex }) {
            let last = present[id]
            var backup = PastBackup(at: time, present: last.map { $0 + lead }, versions: versions[id] ?? [], lead: lead)
            var tag: String?
            let isExact = backup.isExact(at: time, lead: lead)
            if case .previous(let version) = backup, last != nil {
                // One that cannot be read is replaced, too.
                let bytes = try? self.backup(id)
                tag = bytes.map(EntityTag.of)
                if let bytes, try previous(id, at: version.time) == bytes { backup = .present }
            }
            all.append(PastState(id: id, backup: backup, isExact: isExact, lastUpload: last, presentTag: tag))
        }
        return all
    }
}
