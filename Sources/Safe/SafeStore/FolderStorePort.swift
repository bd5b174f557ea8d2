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
    /// one; a temporary file that has a name is removed if the write fails, and by a later sweep if the process dies.
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
            if let retained = try change(id, to: backup, in: backups, at: now) { thin(retained) }
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
            if let retained = try change(id, to: nil, in: backups, at: now) { thin(retained) }
            return .deleted
        }
    }

    func date(_ wall: Timestamp) throws(StoreError) -> StoreReading {
        guard let clock else { return StoreReading(wall: wall, time: wall) }
        return StoreReading(wall: wall, time: try answered { () throws(FileError) in try clock.read(wall) })
    }

    /// The length of a stored backup; nil if there is none.
    func storedLength(of id: BackupID) throws(FileError) -> Int? { try backups().plainFile(id.hex)?.count }

    /// Runs `body` while this process does nothing else with the id, and no client of `file://` holds the directory.
    func turn<Value>(
        for id: BackupID, _ body: (borrowing Directory) throws(FileError) -> Value
    ) throws(StoreError) -> Value {
        // First the lock of the directory: threads that want the same id wait for it together, not in turn.
        try locked(isShared: exclusion == .clients) { backups throws(FileError) in
            try locks.holding(id) { () throws(FileError) in try body(backups) }
        }
    }

    /// Runs `body` while the directory is locked.
    /// - Parameter isShared: whether other writers of this process may write meanwhile.
    func locked<Value>(
        isShared: Bool, _ body: (borrowing Directory) throws(FileError) -> Value
    ) throws(StoreError) -> Value {
        let done = try answered { () throws(FileError) -> Result<Value, StoreError> in
            let backups = try backups()
            let lock = try backups.lock(wait: Self.lockWait, isShared: isShared)
            defer { withExtendedLifetime(lock) {} }
            do throws(StoreError) {
                try shared.requirePlace()
                try authorize()
            } catch {
                return .failure(error)
            }
            return .success(try body(backups))
        }
        return try done.get()
    }

    func answered<Result>(_ body: () throws(FileError) -> Result) throws(StoreError) -> Result {
        do throws(FileError) { return try body() } catch { throw StoreError(error) }
    }
}
