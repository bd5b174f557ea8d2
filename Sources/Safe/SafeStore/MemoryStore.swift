public import Encodings
public import SafeWire
internal import Synchronization

/// A store in memory, for tests and for measurements without a disk.
public final class MemoryStore: BackupStore {
    private struct Stored {
        let bytes: [UInt8]
        let tag: String
        let time: Timestamp
    }

    private struct State {
        var backups: [BackupID: Stored] = [:]
        /// The newest last.
        var previous: [BackupID: [BackupVersion]] = [:]
    }

    private let keepsPrevious: Bool
    private let state = Mutex(State())

    /// - Parameter keepsPrevious: list backups that are replaced or deleted, until a sweep removes them. Their bytes are
    ///   not retained.
    public init(keepsPrevious: Bool = false) {
        self.keepsPrevious = keepsPrevious
    }

    /// A stored backup with its entity tag; nil if there is none. Throws nothing.
    public func get(_ id: BackupID) -> StoredBackup? {
        state.withLock { $0.backups[id] }.map { StoredBackup(bytes: $0.bytes, tag: $0.tag) }
    }

    /// Stores a backup. Throws nothing.
    public func put(_ backup: [UInt8], at id: BackupID, if conditions: Preconditions, now: Timestamp) -> PutResult {
        let tag = EntityTag.of(backup)
        return state.withLock { state in
            let old = state.backups[id]
            guard conditions.hold(for: old?.tag) else { return .conditionFailed }
            retain(old, of: id, now: now, isDeleted: false, in: &state)
            state.backups[id] = Stored(bytes: backup, tag: tag, time: now)
            return old == nil ? .created(tag: tag) : .replaced(tag: tag)
        }
    }

    /// Deletes a backup. Throws nothing.
    public func delete(_ id: BackupID, if conditions: Preconditions, now: Timestamp) -> DeleteResult {
        state.withLock { state in
            guard let old = state.backups[id] else { return .missing }
            guard conditions.hold(for: old.tag) else { return .conditionFailed }
            retain(old, of: id, now: now, isDeleted: true, in: &state)
            state.backups[id] = nil
            return .deleted
        }
    }

    private func retain(
        _ old: Stored?, of id: BackupID, now: Timestamp, isDeleted: Bool, in state: inout State
    ) {
        guard keepsPrevious, let old else { return }
        var time = old.time
        while state.previous[id]?.contains(where: { $0.time == time }) ?? false { time = time + .milliseconds(1) }
        state.previous[id, default: []].append(
            BackupVersion(time: time, replaced: now, count: old.bytes.count, isDeleted: isDeleted))
    }

    /// Decides and deletes in one step. Throws nothing.
    public func expire(_ sweep: Sweep) -> SweepReport {
        state.withLock { state in
            var counts = SweepCounts()
            for each in state.backups.values { _ = counts.add(lastUpload: each.time, sweep) }
            for each in state.previous.values.joined() { _ = counts.add(replaced: each.replaced, sweep) }
            let report = sweep.decide(counts)
            guard report.isCarriedOut else { return report }
            for id in state.previous.keys {
                state.previous[id]?.removeAll { sweep.isOld(replaced: $0.replaced) }
            }
            for (id, each) in state.backups where sweep.isExpired(lastUpload: each.time) {
                retain(each, of: id, now: sweep.time, isDeleted: true, in: &state)
                state.backups[id] = nil
            }
            state.previous = state.previous.filter { !$0.value.isEmpty }
            return report
        }
    }

    /// The length of each stored backup.
    var allLengths: [BackupID: Int] { state.withLock { $0.backups.mapValues(\.bytes.count) } }

    /// The retained previous backups, the newest first. Throws nothing.
    public func versions(of id: BackupID) -> [BackupVersion] {
        state.withLock { state in (state.previous[id] ?? []).reversed() }
    }
}
