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
        var previous: [BackupID: [(time: Timestamp, bytes: [UInt8])]] = [:]
    }

    private let keepsPrevious: Bool
    private let state = Mutex(State())

    /// - Parameter keepsPrevious: retain backups that are replaced or deleted, until a sweep removes them.
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
            retain(old, of: id, now: now, in: &state)
            state.backups[id] = Stored(bytes: backup, tag: tag, time: now)
            return old == nil ? .created(tag: tag) : .replaced(tag: tag)
        }
    }

    /// Deletes a backup. Throws nothing.
    public func delete(_ id: BackupID, if conditions: Preconditions, now: Timestamp) -> DeleteResult {
        state.withLock { state in
            guard let old = state.backups[id] else { return .missing }
            guard conditions.hold(for: old.tag) else { return .conditionFailed }
            retain(old, of: id, now: now, in: &state)
            state.backups[id] = nil
            return .deleted
        }
    }

    private func retain(_ old: Stored?, of id: BackupID, now: Timestamp, in state: inout State) {
        guard keepsPrevious, let old else { return }
        var time = now
        while state.previous[id]?.contains(where: { $0.time == time }) ?? false { time = time + .milliseconds(1) }
        state.previous[id, default: []].append((time: time, bytes: old.bytes))
    }

    /// Decides and deletes in one step. Throws nothing.
    public func expire(_ sweep: Sweep) -> SweepReport {
        state.withLock { state in
            let previous = state.previous.flatMap { id, all in all.map { Dated(id: id, time: $0.time) } }
            let report = sweep.decide(
                backups: state.backups.map { Dated(id: $0, time: $1.time) }, previous: previous)
            guard report.isCarriedOut else { return report }
            for each in report.previous { state.previous[each.id]?.removeAll { $0.time == each.time } }
            for each in report.expired {
                retain(state.backups[each.id], of: each.id, now: sweep.time, in: &state)
                state.backups[each.id] = nil
            }
            state.previous = state.previous.filter { !$0.value.isEmpty }
            return report
        }
    }

    /// The length of each stored backup.
    var allLengths: [BackupID: Int] { state.withLock { $0.backups.mapValues(\.bytes.count) } }

    /// The retained previous backups, the newest first. Throws nothing.
    public func versions(of id: BackupID) -> [BackupVersion] {
        state.withLock { state in
            (state.previous[id] ?? []).map { BackupVersion(time: $0.time, count: $0.bytes.count) }
                .sorted { $0.time > $1.time }
        }
    }

    /// Stores a previous backup again. Throws nothing.
    public func restore(_ id: BackupID, from time: Timestamp, now: Timestamp) -> Bool {
        let old = state.withLock { $0.previous[id]?.first { $0.time == time }?.bytes }
        guard let old else { return false }
        _ = put(old, at: id, if: .none, now: now)
        return true
    }
}
