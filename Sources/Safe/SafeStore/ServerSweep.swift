internal import AtomicFiles
internal import Encodings

extension ServerDirectory {
    /// Deletes what a sweep decides about the backups of all accounts and those without an account together. It may run
    /// beside a server, in another process or in the same one: each deletion locks out all writes to that directory.
    /// - Parameters:
    ///   - found: is called for each backup and previous backup that is over, before anything is decided.
    ///   - progress: is called with the number of backups that are deleted, previous ones among them, and of all that
    ///     are to be.
    ///
    /// If the backups of an account cannot be read or deleted, it decides about the others without them, and sweeps those:
    /// see `SweepReport.failure`.
    /// - Throws: `StoreError`.
    public func sweep(
        _ sweep: Sweep, found: (SweptBackup) -> Void = { _ in },
        progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws(StoreError) -> SweepReport {
        let time: StoreTime
        do throws(FileError) {
            time = sweep.deletion == .never ? try clock.peek(sweep.now.wall) : try clock.keep(sweep.now.wall)
        } catch {
            throw StoreError(error)
        }
        let sweep = sweep.at(time.now, isInDoubt: time.isInDoubt)
        let retains = sweep.keepPrevious > .zero
        var counts = SweepCounts()
        var countsOfStores: [AccountName?: SweepCounts] = [:]
        var failure = try eachStore(retaining: retains) { store throws(FileError) in
            var own = SweepCounts()
            try store.count(sweep, &own, found: found)
            counts.add(own)
            countsOfStores[store.account] = own
        }
        var report = sweep.decide(counts)
        report.failure = failure
        guard report.isCarriedOut else { return report }
        let total = counts.over.total
        report.deleted = SweepDeletions()
        let unswept = try eachStore(retaining: retains) { store throws(FileError) in
            // What was not counted was not decided about.
            guard let own = countsOfStores[store.account] else { return }
            // An account that is removed meanwhile is left out, as in the first pass.
            _ = try store.backups()
            do throws(StoreError) {
                try store.carryOut(sweep, own, &report.deleted) { done in
                    progress(done.total, max(done.total, total))
                }
            } catch {
                failure = failure ?? SweepFailure(account: store.account, error: error)
            }
        }
        failure = failure ?? unswept
        do throws(FileError) {
            try removeLeftovers()
        } catch {
            failure = failure ?? SweepFailure(account: nil, error: StoreError(error))
        }
        report.failure = failure
        return report
    }

    /// The latest time in the directory; nil if it holds no backups.
    func newest() throws(FileError) -> Timestamp? {
        var newest: Timestamp?
        func see(_ time: Timestamp) { newest = max(newest ?? time, time) }
        try eachFolder { store throws(FileError) in
            try store.eachBackup { _, lastUpload, _ in see(lastUpload) }
            try store.eachPreviousDirectory { directory, _ throws(FileError) in
                try directory.forEachName { if let each = PreviousName($0) { see(each.replaced) } }
            }
        }
        return newest
    }

    /// Lends each store. One that fails must not keep the others from being swept.
    /// - Returns: the first failure.
    private func eachStore(
        retaining: Bool, _ body: (borrowing FolderStore) throws(FileError) -> Void
    ) throws(StoreError) -> SweepFailure? {
        var failure: SweepFailure?
        do throws(FileError) {
            try eachFolder(retaining: retaining) { store throws(FileError) in
                do throws(FileError) {
                    try body(store)
                } catch {
                    if case .missing = error, store.account != nil { throw error }
                    failure = failure ?? SweepFailure(account: store.account, error: StoreError(error))
                }
            }
        } catch {
            throw StoreError(error)
        }
        return failure
    }

    private func eachFolder(
        retaining: Bool = false, _ body: (borrowing FolderStore) throws(FileError) -> Void
    ) throws(FileError) {
        try body(FolderStore(in: shared, account: nil, keepsPrevious: retaining, excluding: .everybody))
        for account in try accountsWithBackups() {
            // It may be removed meanwhile.
            do throws(FileError) {
                try body(FolderStore(in: shared, account: account, keepsPrevious: retaining, excluding: .everybody))
            } catch .missing {}
        }
    }
}
