internal import AtomicFiles
internal import Encodings
internal import SafeWire

// A sweep reads the names twice: it counts first, then it deletes. It remembers none of them.

extension FolderStore {
    /// Deletes what the sweep decides, and the temporary files of dead writers. Files with other names stay.
    public func expire(_ sweep: Sweep) throws(StoreError) -> SweepReport {
        var counts = SweepCounts()
        try answered { () throws(FileError) in try count(sweep, &counts) { _ in } }
        let report = sweep.decide(counts)
        if report.isCarriedOut {
            var budget = counts.expired
            try carryOut(sweep, &budget)
        }
        return report
    }

    /// The first pass.
    /// - Parameter found: is called for each backup and previous backup that is over.
    func count(_ sweep: Sweep, _ counts: inout SweepCounts, found: (SweptBackup) -> Void) throws(FileError) {
        var names = 0
        try eachBackup { id, lastUpload, _ throws(FileError) in
            names += 1
            if counts.add(lastUpload: lastUpload, sweep) { found(.expired(id, lastUpload: lastUpload)) }
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
    ///   - budget: how many backups may expire. Files that somebody has copied into the directory since the first pass
    ///     may look old, and were not counted.
    ///   - deleted: is called after each deletion.
    func carryOut(_ sweep: Sweep, _ budget: inout Int, deleted: () -> Void = {}) throws(StoreError) {
        try answered { () throws(FileError) in try removeOld(sweep, deleted) }
        var failure: StoreError?
        try answered { () throws(FileError) in
            try eachBackup { id, lastUpload, _ throws(FileError) in
                guard failure == nil, budget > 0, sweep.isExpired(lastUpload: lastUpload) else { return }
                budget -= 1
                do throws(StoreError) {
                    try expire(id, lastUpload, at: StoreReading(wall: sweep.now.wall, time: sweep.time))
                    deleted()
                } catch {
                    failure = error
                }
            }
        }
        if let failure { throw failure }
        try answered { () throws(FileError) in try backups().sweepLeftovers(where: BackupID.isHex) }
    }

    private func expire(_ id: BackupID, _ lastUpload: Timestamp, at now: StoreReading) throws(StoreError) {
        try turn(for: id) { backups throws(FileError) in
            // It may have been stored again.
            guard try backups.modificationTime(of: id.hex) == lastUpload.milliseconds else { return }
            _ = try retain(id, in: backups, at: now)
            try backups.remove(id.hex)
        }
    }

    private func removeOld(_ sweep: Sweep, _ deleted: () -> Void) throws(FileError) {
        try eachPreviousDirectory { directory, _ throws(FileError) in
            var isChanged = false
            try directory.forEachName { name throws(FileError) in
                guard let each = PreviousName(name), sweep.isOld(replaced: each.replaced) else { return }
                try directory.removeUnsynced(name)
                isChanged = true
                deleted()
            }
            if isChanged { try directory.sync() }
        }
    }

    /// Lends each stored backup with the time of its last PUT and its length in bytes, one at a time.
    func eachBackup(
        _ body: (_ id: BackupID, _ lastUpload: Timestamp, _ count: Int) throws(FileError) -> Void
    ) throws(FileError) {
        let backups = try backups()
        try backups.forEachName { name throws(FileError) in
            guard let id = BackupID(hex: name), let file = try backups.plainFile(name) else { return }
            try body(id, Timestamp(milliseconds: file.modified), file.count)
        }
    }

    /// How many backups are stored, their length in bytes, and the last upload by the store's time, nil without backups.
    /// - Parameter other: is left out.
    func size(
        without other: BackupID? = nil
    ) throws(FileError) -> (backups: Int, bytes: Int, lastUpload: Timestamp?) {
        var size = (backups: 0, bytes: 0, lastUpload: Timestamp?.none)
        try eachBackup { id, lastUpload, count in
            guard id != other else { return }
            size.backups += 1
            size.bytes += count
            size.lastUpload = max(size.lastUpload ?? lastUpload, lastUpload)
        }
        return size
    }
}
