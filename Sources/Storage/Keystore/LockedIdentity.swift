internal import AtomicFiles

/// The records of one identity while its lock is held, or while it is being added. They are of version 2.
public struct LockedIdentity: ~Copyable {
    let lock: FileLock?
    /// The same records, for reading.
    public let records: IdentityRecords

    /// Replaces a record, whole or not at all.
    /// - Throws: `FileError`; `KeystoreError.damaged` for a commit file that is not genuine.
    public func write(_ name: RecordName, _ content: Span<UInt8>) throws {
        try write(RecordFile(name), records.seal(content, name))
    }

    /// Removes a record; one that is not there is fine.
    public func remove(_ name: RecordName) throws { try write(RecordFile(name), nil) }

    /// Replaces the state of a place, whole or not at all.
    public func writeState(_ state: [UInt8], of place: PlaceName) throws { try write(.state(of: place), state) }

    /// Removes the state of a place; one that is not there is fine.
    public func removeState(of place: PlaceName) throws { try write(.state(of: place), nil) }

    /// An empty list of changes for `commit`.
    public func changes() -> RecordChanges { RecordChanges(of: records.owner, keystore: records.keystore) }

    /// Makes all changes at once: whatever step the process dies at, they are all made or none is.
    /// - Throws: `FileError`, and then nothing has changed, also not in part; `KeystoreError.damaged` for an earlier
    ///   commit file that is not genuine.
    public func commit(_ changes: consuming RecordChanges) throws {
        precondition(changes.owner == records.owner)
        try records.finishCommit()
        // Removing what is not there is no change.
        let files = try changes.files.filter { change in
            try change.content != nil
                || records.within(change.file.place) { try $0.contains(change.file.name) } ?? false
        }
        if files.count < 2 {
            for change in files { try write(change.file, change.content) }
            return
        }
        guard RecordCommit.count(of: files) <= RecordCommit.maxBytes else {
            let path = records.directory.path + "/" + RecordCommit.fileName
            throw FileError.tooLarge(path: path, limit: RecordCommit.maxBytes)
        }
        let commit = RecordCommit.encode(files, of: records.owner, key: records.keystore.masterKey)
        do {
            try records.directory.write(RecordCommit.fileName, commit.span)
        } catch {
            // It may have got its name already, if what failed was to make that last.
            try? records.directory.remove(RecordCommit.fileName)
            throw error
        }
        // The changes are made. What cannot be written out now is read from the commit file, and the next one to hold
        // the lock tries again.
        try? records.finishCommit()
    }

    /// Sets the time of the lock, in milliseconds since the epoch: for a timestamp that is worth no writing, and may be
    /// lost.
    package func setTimeOfLock(milliseconds: Int64) {
        switch lock {
        case .some(let lock): lock.setModificationTime(milliseconds: milliseconds)
        case .none: break
        }
    }

    /// Lends the identity's directory, for a file of another format that changes under the same lock.
    public func withDirectory<Result: ~Copyable, E>(
        _ body: (borrowing Directory) throws(E) -> Result
    ) throws(E) -> Result {
        try body(records.directory)
    }

    private func write(_ file: RecordFile, _ content: [UInt8]?) throws {
        // An unfinished commit would go over what is written now.
        try records.finishCommit()
        try records.put(file, content?.span)
    }
}

extension IdentityRecords {
    func seal(_ content: Span<UInt8>, _ name: RecordName, fileName: String? = nil) -> [UInt8] {
        SealedRecord.seal(content, of: owner, name, fileName: fileName, key: keystore.masterKey)
    }

    /// Replaces or removes a file. The caller holds the identity's lock.
    func put(_ file: RecordFile, _ content: Span<UInt8>?) throws {
        if let content {
            try making(file.place) { try $0.write(file.name, content) }
        } else {
            _ = try within(file.place) { try $0.remove(file.name) }
        }
    }

    /// Writes out a commit that a killed or failed process left. The caller holds the identity's lock.
    func finishCommit() throws { try unfinishedCommit()?.apply(to: self) }

    /// Removes what killed writers left half made. The caller holds the identity's lock.
    func sweep() throws {
        if try directory.hasTemporaryNames() { try directory.sweepFiles() }
        for place in try places() {
            _ = try within(place) { directory in
                if try directory.hasTemporaryNames() { try directory.sweepFiles() }
            }
            _ = try withHistory(of: place) { history in
                if try history.hasTemporaryNames() { try history.sweepFiles() }
            }
        }
    }
}
