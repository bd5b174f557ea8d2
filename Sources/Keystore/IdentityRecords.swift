public import AtomicFiles
public import SecureMemory

/// What a keystore holds of one identity, in a folder named by its ID:
///
///     NAME          0600   sealed record
///     state.json    0600   plain; what is lost with it is only convenience
///     lock          0600   held while records are changed
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
    public func contains(_ name: RecordName) throws(FileError) -> Bool { try folder.contains(name.text) }

    /// A record's content, nil where there is none of that name.
    /// - Throws: `KeystoreError.damaged`; `FileError`.
    public func read(_ name: RecordName) throws -> SecureBytes? {
        guard try folder.contains(name.text) else { return nil }
        let record = try folder.read(name.text, limit: Self.maxRecordBytes)
        return try record.withBytes { (record) throws(KeystoreError) in
            try keystore.open(record, id: id, name: name)
        }
    }

    /// When `setTimeOfLock` was last called, or else the lock was made, in milliseconds since the epoch.
    public func timeOfLock() throws(FileError) -> Int64? { try folder.modificationTime(of: LockedKeystore.lockName) }

    /// The state as it was last written. Nil where there is none or where it is no state at all, for
    /// example too long: a lost state loses nothing.
    /// - Throws: `FileError` where something else than a plain file of ours stands there.
    public func readState() throws(FileError) -> SecureBytes? {
        do throws(FileError) {
            return try folder.read(Self.stateName, limit: Self.maxStateBytes)
        } catch .missing, .tooLarge {
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
    public func write(_ name: RecordName, _ content: Span<UInt8>) throws(FileError) {
        try records.folder.write(name.text, records.keystore.seal(content, id: records.id, name: name).span)
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
    public func remove(_ name: RecordName) throws(FileError) {
        try records.folder.remove(name.text)
    }

    /// Replaces the state, whole or not at all.
    public func writeState(_ state: [UInt8]) throws(FileError) {
        try records.folder.write(IdentityRecords.stateName, state.span)
    }

    /// Forgets the state; one that is not there is fine.
    public func removeState() throws(FileError) {
        try records.folder.remove(IdentityRecords.stateName)
    }
}
