public import AtomicFiles

/// The records of one identity, for changing: its lock is held, or it is being added.
public struct LockedIdentity: ~Copyable {
    /// How long a verb waits for the lock of an identity, unless it is told another time.
    package static let usualWait = Duration.seconds(60)

    let lock: FileLock?
    /// The same records, for reading.
    public let records: IdentityRecords

    /// Seals and writes a record, whole or not at all.
    /// - Parameter name: of none of the keystore's own files; the process ends otherwise.
    /// - Throws: `FileError`, also `.tooLarge` for a content that could not be read again; `KeystoreError.damaged` for a
    ///   commit file that is not authentic.
    public func write(_ name: RecordName, _ content: Span<UInt8>) throws {
        precondition(!name.isReserved)
        try write(RecordFile(name), records.seal(content, name))
    }

    /// Removes a record. A missing record is not an error.
    public func remove(_ name: RecordName) throws { try write(RecordFile(name), nil) }

    /// Writes the state of a place, whole or not at all. The state is not sealed.
    public func writeState(_ state: [UInt8], of place: PlaceName) throws { try write(.state(of: place), state) }

    /// Removes the state of a place; one that is not there is fine.
    public func removeState(of place: PlaceName) throws { try write(.state(of: place), nil) }

    /// An empty list of changes for `commit`.
    public func changes() -> RecordChanges { RecordChanges(of: records.owner, keystore: records.keystore) }

    /// Makes all changes at once: if the process dies, either all of them are made or none.
    /// - Parameter changes: at most `RecordChanges.limit`; the process ends otherwise.
    /// - Throws: `FileError`, also `.tooLarge` for a content that could not be read again; `KeystoreError.damaged` for an
    ///   earlier commit file that is not authentic. Then no change was made.
    public func commit(_ changes: consuming RecordChanges) throws {
        precondition(changes.owner == records.owner)
        for change in changes.files { try records.requireReadable(change.file, change.content) }
        try records.finishCommit()
        // Removing a missing file is not a change.
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
            // If the sync of the directory failed, the file has its name already.
            try? records.directory.remove(RecordCommit.fileName)
            throw error
        }
        // The changes are made. If they cannot be written out now, they are read from the commit file, and the next
        // holder of the lock tries again.
        try? records.finishCommit()
    }

    /// Sets the time of the last success at a place, in milliseconds since the epoch. It is that of an empty file. It is
    /// not synced, so it may be lost.
    /// - Throws: `FileError`.
    package func setTimeOfSuccess(milliseconds: Int64, of place: PlaceName) throws {
        try records.making(place) { directory in
            try directory.touch(IdentityRecords.successName, milliseconds: milliseconds)
        }
    }

    /// Lends the identity's directory, for a file of another format that changes under the same lock.
    public func withDirectory<Result: ~Copyable, E>(
        _ body: (borrowing Directory) throws(E) -> Result
    ) throws(E) -> Result {
        try body(records.directory)
    }

    private func write(_ file: RecordFile, _ content: [UInt8]?) throws {
        try records.requireReadable(file, content)
        // Otherwise an unfinished commit would overwrite this later.
        try records.finishCommit()
        try records.put(file, content?.span)
    }
}

extension IdentityRecords {
    /// As `LockedIdentity.withDirectory`, without a lock: what is there may change at any time.
    package func withDirectory<Result: ~Copyable, E>(
        _ body: (borrowing Directory) throws(E) -> Result
    ) throws(E) -> Result {
        try body(directory)
    }

    /// - Throws: `FileError.tooLarge` for a file that `read` would refuse.
    func requireReadable(_ file: RecordFile, _ content: [UInt8]?) throws {
        guard content?.count ?? 0 <= Self.maxRecordBytes else {
            throw FileError.tooLarge(path: directory.path + "/" + file.name, limit: Self.maxRecordBytes)
        }
    }

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

    /// Writes out a commit that a killed or failed process left unfinished. The caller holds the identity's lock.
    func finishCommit() throws { try unfinishedCommit()?.apply(to: self) }

    /// Removes the temporary files of killed writers. The caller holds the identity's lock.
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
