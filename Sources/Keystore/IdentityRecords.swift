public import AtomicFiles
public import SecureMemory

/// What a keystore holds of one identity, in a folder named by its ID:
///
///     NAME          0600   sealed record
///     state.json    0600   plain; what is lost with it is only convenience
///     commit        0600   changes of several of these files at once, see `RecordCommit`; there only until they are
///                          written out
///     history/      0700   earlier backups, see `History`
///     lock          0600   held while records are changed
///
/// Each read by itself shows all of a commit or nothing of it.
public struct IdentityRecords: ~Copyable {
    /// Longest record that is read, in bytes.
    static let maxRecordBytes = 16 * 1024 * 1024
    /// Longest state that is read, in bytes.
    static let maxStateBytes = 64 * 1024
    static let stateName = "state.json"

    /// The ID whose records these are.
    public let id: String
    let folder: Folder
    let keystore: Keystore

    /// Whether there is a record of that name, sound or not.
    /// - Throws: `KeystoreError.damaged` for a commit file that is not genuine; `FileError`.
    public func contains(_ name: RecordName) throws -> Bool {
        switch try fate(of: name.text) {
        case .unchanged: try folder.contains(name.text)
        case .removed: false
        case .content: true
        }
    }

    /// A record's content, nil where there is none of that name.
    /// - Throws: `KeystoreError.damaged`; `FileError`.
    public func read(_ name: RecordName) throws -> SecureBytes? {
        guard let record = try file(name.text, limit: Self.maxRecordBytes) else { return nil }
        return try record.withBytes { (record) throws(KeystoreError) in
            try keystore.open(record, id: id, name: name)
        }
    }

    /// When `setTimeOfLock` was last called, or else the lock was made, in milliseconds since the epoch.
    public func timeOfLock() throws(FileError) -> Int64? { try folder.modificationTime(of: LockedKeystore.lockName) }

    /// The state as it was last written. Nil where there is none or where it is no state at all, for
    /// example too long: a lost state loses nothing.
    /// - Throws: `FileError` where something else than a plain file of ours stands there; `KeystoreError.damaged` for
    ///   a commit file that is not genuine.
    public func readState() throws -> SecureBytes? {
        do {
            return try file(Self.stateName, limit: Self.maxStateBytes)
        } catch FileError.tooLarge {
            return nil
        }
    }

    /// What a file holds, or will hold once an unfinished commit is written out; nil if there is no such file.
    private func file(_ name: String, limit: Int) throws -> SecureBytes? {
        switch try fate(of: name) {
        case .unchanged: return try folder.readIfPresent(name, limit: limit)
        case .removed: return nil
        case .content(let content): return content
        }
    }

    private func fate(of name: String) throws -> RecordCommit.Fate {
        switch try unfinishedCommit() {
        case .some(let commit): commit.fate(of: name)
        case .none: .unchanged
        }
    }

    /// The commit that a killed or failed process left.
    /// - Returns: nil if there is none.
    func unfinishedCommit() throws -> RecordCommit? {
        let file = try folder.readIfPresent(RecordCommit.fileName, limit: RecordCommit.maxBytes)
        guard let file else { return nil }
        return try RecordCommit(file, id: id, key: keystore.digestKey(RecordCommit.purpose))
    }

    /// Writes out a commit that a killed or failed process left. The caller holds the identity's lock.
    func finishCommit() throws { try unfinishedCommit()?.apply(in: folder) }
}

extension Folder {
    /// - Returns: nil if there is no such file.
    fileprivate func readIfPresent(_ name: String, limit: Int) throws(FileError) -> SecureBytes? {
        do throws(FileError) {
            return try read(name, limit: limit)
        } catch .missing {
            return nil
        } catch {
            throw error
        }
    }
}

/// The records of one identity while its lock is held, or while it is being added.
public struct LockedIdentity: ~Copyable {
    let lock: FileLock?
    /// The same records, for reading.
    public let records: IdentityRecords

    /// Replaces a record, whole or not at all.
    /// - Throws: `FileError`; `KeystoreError.damaged` for a commit file that is not genuine.
    public func write(_ name: RecordName, _ content: Span<UInt8>) throws {
        try write(name.text, records.keystore.seal(content, id: records.id, name: name))
    }

    /// An empty list of changes for `commit`.
    public func changes() -> RecordChanges { RecordChanges(id: records.id, keystore: records.keystore) }

    /// Makes all changes at once: whatever step the process dies at, they are all made or none is.
    /// - Throws: `FileError`, and then nothing has changed, also not in part; `KeystoreError.damaged` for an earlier
    ///   commit file that is not genuine.
    public func commit(_ changes: consuming RecordChanges) throws {
        precondition(changes.id == records.id)
        try records.finishCommit()
        // Removing what is not there is no change.
        let files = try changes.files.filter { try $0.content != nil || records.folder.contains($0.name) }
        if files.count < 2 {
            for file in files { try write(file.name, file.content) }
            return
        }
        guard RecordCommit.count(of: files) <= RecordCommit.maxBytes else {
            let path = records.folder.path + "/" + RecordCommit.fileName
            throw FileError.tooLarge(path: path, limit: RecordCommit.maxBytes)
        }
        let key = records.keystore.digestKey(RecordCommit.purpose)
        let commit = RecordCommit.encode(files, id: records.id, key: key)
        do {
            try records.folder.write(RecordCommit.fileName, commit.span)
        } catch {
            // It may have got its name already, if what failed was to make that last.
            try? records.folder.remove(RecordCommit.fileName)
            throw error
        }
        // The changes are made. What cannot be written out now is read from the commit file, and the next one to hold
        // the lock tries again.
        try? records.finishCommit()
    }

    private func write(_ name: String, _ content: [UInt8]?) throws {
        // An unfinished commit would go over what is written now.
        try records.finishCommit()
        if let content {
            try records.folder.write(name, content.span)
        } else {
            try records.folder.remove(name)
        }
    }

    /// Keeps a moment, in milliseconds since the epoch, as the time of the lock: for what is worth no writing, and may
    /// be lost.
    public func setTimeOfLock(milliseconds: Int64) {
        switch lock {
        case .some(let lock): lock.setModificationTime(milliseconds: milliseconds)
        case .none: break
        }
    }

    /// Removes a record; one that is not there is fine.
    public func remove(_ name: RecordName) throws { try write(name.text, nil) }

    /// Replaces the state, whole or not at all.
    public func writeState(_ state: [UInt8]) throws { try write(IdentityRecords.stateName, state) }

    /// Forgets the state; one that is not there is fine.
    public func removeState() throws { try write(IdentityRecords.stateName, nil) }
}
