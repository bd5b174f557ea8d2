internal import AtomicFiles
internal import Encodings
internal import SafeWire

// A sweep counts first, then it deletes. It remembers no names, so it reads them again where something is over.

extension FolderStore {
    /// Deletes what the sweep decides, and the temporary files of dead writers. Files with other names stay.
    public func expire(_ sweep: Sweep) throws(StoreError) -> SweepReport {
        var counts = SweepCounts()
        try answered { () throws(FileError) in try count(sweep, &counts) { _ in } }
        var report = sweep.decide(counts)
        if report.isCarriedOut {
            report.deleted = SweepDeletions()
            try carryOut(sweep, counts, &report.deleted)
        }
        return report
    }

    /// The first pass.
    /// - Parameter found: is called for each backup and previous backup that is over.
    func count(_ sweep: Sweep, _ counts: inout SweepCounts, found: (SweptBackup) -> Void) throws(FileError) {
        var names = 0
        try eachBackup { name, lastUpload, _ in
            names += 1
            guard counts.add(lastUpload: lastUpload, sweep), let id = BackupID(name: name) else { return }
            found(.expired(id, lastUpload: lastUpload))
        }
        counts.names = max(counts.names, names)
        try eachPreviousDirectory { directory, _ throws(FileError) in
            names = 0
            defer { counts.names = max(counts.names, names) }
            try directory.forEachName { name throws(FileError) in
                names += 1
                guard let each = PreviousName(name), counts.add(replaced: each.replaced, sweep) else { return }
                let modified = try each.uploaded == nil ? directory.modificationTime(of: name) : nil
                let uploaded = each.uploaded ?? modified.map(Timestamp.init(milliseconds:))
                found(.previous(each.id, uploaded ?? each.replaced))
            }
        }
    }

    /// The second pass. It removes old previous backups first: what expires becomes one, which takes room.
    /// - Parameters:
    ///   - counts: of the first pass in this store. No more backups expire: files that somebody has copied into the
    ///     directory since then may look old, and were not counted.
    ///   - done: counts each deletion, also before an error.
    ///   - progress: is called after each deletion with what is done.
    func carryOut(
        _ sweep: Sweep, _ counts: SweepCounts, _ done: inout SweepDeletions,
        progress: (SweepDeletions) -> Void = { _ in }
    ) throws(StoreError) {
        if counts.previous > 0 { try removeOld(sweep, &done, progress) }
        if counts.expired > 0 { try expireBackups(sweep, counts.expired, &done, progress) }
        try answered { () throws(FileError) in try backups().sweepLeftovers(where: BackupID.isHex) }
    }

    private func expireBackups(
        _ sweep: Sweep, _ most: Int, _ done: inout SweepDeletions, _ progress: (SweepDeletions) -> Void
    ) throws(StoreError) {
        var (budget, failure) = (most, StoreError?.none)
        try answered { () throws(FileError) in
            try eachBackup { name, lastUpload, _ in
                guard failure == nil, budget > 0, sweep.isExpired(lastUpload: lastUpload),
                    let id = BackupID(name: name)
                else { return }
                budget -= 1
                do throws(StoreError) {
                    let now = StoreReading(wall: sweep.now.wall, time: sweep.time)
                    guard try expire(id, lastUpload, at: now) else { return }
                    done.expired += 1
                    progress(done)
                } catch {
                    failure = error
                }
            }
        }
        if let failure { throw failure }
    }

    /// - Returns: false if it has been stored again, or deleted.
    private func expire(_ id: BackupID, _ lastUpload: Timestamp, at now: StoreReading) throws(StoreError) -> Bool {
        try turn(for: id) { backups throws(FileError) in
            guard try backups.modificationTime(of: id.hex) == lastUpload.milliseconds else { return false }
            _ = try change(id, to: nil, in: backups, at: now)
            return true
        }
    }

    private func removeOld(
        _ sweep: Sweep, _ done: inout SweepDeletions, _ progress: (SweepDeletions) -> Void
    ) throws(StoreError) {
        try answered { () throws(FileError) in
            try eachPreviousDirectory { directory, _ throws(FileError) in
                var isChanged = false
                try directory.forEachName { name throws(FileError) in
                    guard let each = PreviousName(name), sweep.isOld(replaced: each.replaced) else { return }
                    try directory.removeUnsynced(name)
                    isChanged = true
                    done.previous += 1
                    progress(done)
                }
                if isChanged { try directory.sync() }
            }
        }
    }

    /// Lends each stored backup with the time of its last PUT and its length in bytes, one at a time. The name is that of
    /// a `BackupID`.
    func eachBackup(
        _ body: (_ name: Span<UInt8>, _ lastUpload: Timestamp, _ count: Int) -> Void
    ) throws(FileError) {
        try backups().forEachFile(where: BackupID.isName) { name, count, modified in
            body(name, Timestamp(milliseconds: modified), count)
        }
    }

    /// How many backups are stored, their length in bytes, and the last upload by the store's time, nil without backups.
    /// - Parameter other: is left out.
    func size(
        without other: BackupID? = nil
    ) throws(FileError) -> (backups: Int, bytes: Int, lastUpload: Timestamp?) {
        var size = (backups: 0, bytes: 0, lastUpload: Timestamp?.none)
        try eachBackup { name, lastUpload, count in
            guard other == nil || BackupID(name: name) != other else { return }
            size.backups += 1
            size.bytes += count
            size.lastUpload = max(size.lastUpload ?? lastUpload, lastUpload)
        }
        return size
    }
}
