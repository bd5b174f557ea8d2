public import AtomicFiles
internal import KeyWrapping
public import SecureMemory

/// A folder that holds identities, open and unlocked:
///
///     DIR/                0700
///       keystore          sealed record: version (1 byte) and keystore id (16 bytes, random)
///       master.key        the master key, wrapped
///       lock              held while master.key changes and identities are added
///       identities/ID/    one folder each, see `IdentityRecords`
///
/// It knows no messenger: records are bytes under an ID and a name.
public final class Keystore: Sendable {
    let locked: LockedKeystore
    let masterKey: MasterKey

    private var folder: Folder { _read { yield locked.folder } }

    /// - Parameter masterKey: proven by the keystore's record.
    init(_ locked: LockedKeystore, _ masterKey: consuming MasterKey) {
        self.locked = locked
        self.masterKey = masterKey
    }

    /// Whether opening it takes a passphrase.
    public var isProtected: Bool { locked.isProtected }

    // MARK: Identities

    /// The IDs in this keystore, in byte order.
    public func identities() throws(FileError) -> [String] {
        guard try folder.contains(LockedKeystore.identitiesName) else { return [] }
        return try folder.folder(LockedKeystore.identitiesName).names()
    }

    /// The records of an identity, for reading.
    /// - Throws: `KeystoreError.noIdentity`; `FileError`.
    public func identity(_ id: String) throws -> IdentityRecords {
        guard try folder.contains(LockedKeystore.identitiesName) else { throw KeystoreError.noIdentity(id) }
        let identities = try folder.folder(LockedKeystore.identitiesName)
        guard try identities.contains(id) else { throw KeystoreError.noIdentity(id) }
        return IdentityRecords(id: id, folder: try identities.folder(id), keystore: self)
    }

    /// The records of an identity, under its lock, for changing. What a killed process left unfinished is finished.
    /// - Throws: `KeystoreError.noIdentity`, `.damaged` for a commit file that is not genuine; `FileError`, among them
    ///   `.locked` after `wait`.
    public func lockedIdentity(_ id: String, wait: Duration) throws -> LockedIdentity {
        let identity = try lock(id, wait: wait)
        try identity.records.finishCommit()
        return identity
    }

    private func lock(_ id: String, wait: Duration) throws -> LockedIdentity {
        try goneIfRemoved(id) {
            let records = try identity(id)
            let lock = try records.folder.lock(LockedKeystore.lockName, wait: wait)
            if try records.folder.hasTemporaryNames() { try records.folder.sweepFiles() }
            try records.sweepHistory()
            return LockedIdentity(lock: lock, records: records)
        }
    }

    /// Whatever fails because another process removes the identity meanwhile: there is no such identity.
    public func goneIfRemoved<Result: ~Copyable>(_ id: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            guard try identities().contains(id) else { throw KeystoreError.noIdentity(id) }
            throw error
        }
    }

    /// Adds an identity with all of its records at once.
    ///
    /// `fill` writes them into a folder that nobody sees yet, which then gets its name in one step. What
    /// a killed process left of such a folder is swept by the next one that adds the same ID.
    /// - Throws: `KeystoreError.exists`, and then nothing was changed; or what `fill` throws.
    public func add(_ id: String, _ fill: (borrowing LockedIdentity) throws -> Void) throws {
        let lock = try folder.lock(LockedKeystore.lockName, wait: LockedKeystore.lockWait)
        // An empty keystore may have got another master key since this one was opened.
        try locked.prove(masterKey)
        try folder.makeFolder(LockedKeystore.identitiesName)
        let identities = try folder.folder(LockedKeystore.identitiesName)
        guard try !identities.contains(id) else { throw KeystoreError.exists(id) }
        let temporary = Self.temporaryName(id)
        try identities.sweepFolders(with: History.folderName)
        try EndingSignals.held {
            do {
                try identities.makeFolder(temporary)
                try fill(
                    LockedIdentity(
                        lock: nil,
                        records: IdentityRecords(id: id, folder: try identities.folder(temporary), keystore: self)))
                try identities.rename(temporary, to: id, existing: .refuse)
            } catch {
                // It may have got its name already, if what failed was to make that last.
                if case FileError.system(.sync, _, _) = error {
                    try? identities.rename(id, to: temporary, existing: .refuse)
                }
                try? identities.removeFolder(temporary, with: History.folderName)
                throw error
            }
        }
        _ = consume lock
    }

    /// Removes an identity: its folder loses its name in one step, then its files are deleted.
    /// - Throws: `KeystoreError.noIdentity`; `FileError`, among them `.locked` after `wait`.
    public func remove(_ id: String, wait: Duration) throws {
        let held = try lock(id, wait: wait)
        let lock = try folder.lock(LockedKeystore.lockName, wait: LockedKeystore.lockWait)
        let identities = try folder.folder(LockedKeystore.identitiesName)
        guard try identities.contains(id) else { throw KeystoreError.noIdentity(id) }
        let temporary = Self.temporaryName(id)
        try identities.sweepFolders(with: History.folderName)
        try EndingSignals.held {
            try identities.rename(id, to: temporary, existing: .refuse)
            try identities.removeFolder(temporary, with: History.folderName)
        }
        _ = consume lock
        _ = consume held
    }

    /// The name of a folder that is on its way in or out; no listing shows it.
    private static func temporaryName(_ id: String) -> String { ".\(id).new" }

    // MARK: Records

    func seal(_ plaintext: Span<UInt8>, id: String, name: RecordName, fileName: String? = nil) -> [UInt8] {
        SealedRecord.seal(plaintext, id: id, name: name, fileName: fileName, key: masterKey)
    }

    func open(
        _ record: Span<UInt8>, id: String, name: RecordName, fileName: String? = nil
    ) throws(KeystoreError) -> SecureBytes {
        try SealedRecord.open(record, id: id, name: name, fileName: fileName, key: masterKey)
    }

    /// A key for a keyed digest of what is kept outside of records, bound to its purpose.
    /// - Parameter purpose: 1 to 16 lower-case letters; no record has this name.
    /// - Returns: 32 bytes.
    public func digestKey(_ purpose: RecordName) -> SecureBytes {
        SealedRecord.recordKey(purpose, masterKey)
    }
}
