internal import AtomicFiles
public import Encodings
public import SafeWire

// Threads of this process take turns for each id. A client that uses the directory as `file://` locks it exclusively
// for its whole run; a server shares the lock among its writes. An operator's command locks it exclusively for each
// write.

extension FolderStore: BackupStore {
    /// How long a write waits for a client that has locked the directory.
    private static let lockWait = Duration.seconds(5)

    /// A stored backup with its entity tag.
    /// - Returns: nil if there is none.
    public func get(_ id: BackupID) throws(StoreError) -> StoredBackup? {
        try answered { () throws(FileError) in try tagged(id) }
    }

    /// A stored backup whose file is in the kernel's memory. One of more than 128 KiB is left to `get`.
    public func getAtOnce(_ id: BackupID) -> StoredBackup? { cached(id) }

    /// Stores a backup: a temporary file, fsync, rename, fsync of the directory. A crash leaves the old one or the new
    /// one; the temporary file is removed if the write fails, and by a later sweep if the process dies.
    public func put(
        _ backup: [UInt8], at id: BackupID, if conditions: Preconditions, now: Timestamp
    ) throws(StoreError) -> PutResult {
        let now = try date(now)
        return try turn(for: id) { backups throws(FileError) in
            let exists: Bool
            if conditions == .none {
                exists = try backups.contains(id.hex)
            } else {
                let tag = try Self.backup(id, in: backups, limit: readLimit).map(EntityTag.of)
                guard conditions.hold(for: tag) else { return .conditionFailed }
                exists = tag != nil
            }
            let retained = exists ? try retain(id, in: backups, now: now) : nil
            do throws(FileError) {
                try backups.write(id.hex, backup.span, modified: now.milliseconds, isSweeping: false)
            } catch {
                if let retained { try? removePrevious([retained]) }
                throw error
            }
            let tag = EntityTag.of(backup)
            return exists ? .replaced(tag: tag) : .created(tag: tag)
        }
    }

    /// Deletes a backup, and syncs the directory. With `keepsPrevious` it can be restored until a sweep removes it.
    public func delete(
        _ id: BackupID, if conditions: Preconditions, now: Timestamp
    ) throws(StoreError) -> DeleteResult {
        let now = try date(now)
        return try turn(for: id) { backups throws(FileError) in
            guard try backups.contains(id.hex) else { return .missing }
            if conditions != .none {
                guard let present = try Self.backup(id, in: backups, limit: readLimit) else { return .missing }
                guard conditions.hold(for: EntityTag.of(present)) else { return .conditionFailed }
            }
            _ = try retain(id, in: backups, now: now)
            try backups.remove(id.hex)
            return .deleted
        }
    }

    private func date(_ wall: Timestamp) throws(StoreError) -> Timestamp {
        guard let clock else { return wall }
        return try answered { () throws(FileError) in try clock.read(wall) }
    }

    /// Deletes what the sweep decides, and the temporary files of dead writers. Files with other names stay.
    public func expire(_ sweep: Sweep) throws(StoreError) -> SweepReport {
        let report = try answered { () throws(FileError) in
            sweep.decide(backups: try stored(), previous: try previousBackups())
        }
        if report.isCarriedOut { try carryOut(report, at: sweep.time) }
        return report
    }

    /// Removes old previous backups first: what expires becomes one, which takes room.
    /// - Parameters:
    ///   - time: under which expired backups are retained, if the store retains any.
    ///   - deleted: is called after each deletion.
    func carryOut(_ report: SweepReport, at time: Timestamp, deleted: () -> Void = {}) throws(StoreError) {
        try answered { () throws(FileError) in try removePrevious(report.previous, removed: deleted) }
        for each in report.expired {
            try turn(for: each.id) { backups throws(FileError) in
                // It may have been stored again.
                guard try backups.modificationTime(of: each.id.hex) == each.time.milliseconds else { return }
                _ = try retain(each.id, in: backups, now: time)
                try backups.remove(each.id.hex)
            }
            deleted()
        }
        try answered { () throws(FileError) in try backups().sweepLeftovers(where: BackupID.isHex) }
    }

    /// All stored backups, with the time of their last PUT.
    func stored() throws(FileError) -> [Dated] {
        let backups = try backups()
        var stored: [Dated] = []
        for name in try backups.names() {
            guard let id = BackupID(hex: name), try backups.isFile(name),
                let time = try backups.modificationTime(of: name)
            else { continue }
            stored.append(Dated(id: id, time: Timestamp(milliseconds: time)))
        }
        return stored
    }

    /// Ids and lengths of all stored backups. One that is deleted meanwhile is left out.
    func allLengths() throws(FileError) -> [(id: BackupID, count: Int)] {
        let backups = try backups()
        var all: [(id: BackupID, count: Int)] = []
        for name in try backups.names() {
            guard let id = BackupID(hex: name), let count = try Self.length(of: id, in: backups) else { continue }
            all.append((id: id, count: count))
        }
        return all
    }

    /// The length of a stored backup; nil if there is none.
    func storedLength(of id: BackupID) throws(FileError) -> Int? { try Self.length(of: id, in: backups()) }

    private static func length(of id: BackupID, in backups: borrowing Directory) throws(FileError) -> Int? {
        do throws(FileError) {
            return try backups.isFile(id.hex) ? backups.length(of: id.hex) : nil
        } catch .missing {
            return nil
        }
    }

    /// Runs `body` while this process does nothing else with the id, and no client of `file://` holds the directory.
    private func turn<Value>(
        for id: BackupID, _ body: (borrowing Directory) throws(FileError) -> Value
    ) throws(StoreError) -> Value {
        let done = try answered { () throws(FileError) -> Result<Value, StoreError> in
            let backups = try backups()
            // First the lock of the directory: threads that want the same id wait for it together, not in turn.
            let lock = try backups.lock(wait: Self.lockWait, isShared: exclusion == .clients)
            defer { withExtendedLifetime(lock) {} }
            do throws(StoreError) { try authorize() } catch { return .failure(error) }
            return .success(try locks.holding(id) { () throws(FileError) in try body(backups) })
        }
        return try done.get()
    }

    func answered<Result>(_ body: () throws(FileError) -> Result) throws(StoreError) -> Result {
        do throws(FileError) { return try body() } catch { throw StoreError(error) }
    }

    /// Stores a previous backup again, as `put` without conditions; it stays among the previous ones.
    /// - Returns: false if no previous backup of this id and time is stored; then nothing was changed.
    public func restore(_ id: BackupID, from time: Timestamp, now: Timestamp) throws(StoreError) -> Bool {
        let old = try answered { () throws(FileError) in try previous(id, at: time) }
        guard let old else { return false }
        _ = try put(old, at: id, if: .none, now: now)
        return true
    }
}
