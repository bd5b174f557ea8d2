public import AtomicFiles
internal import KeyWrapping
public import SecureMemory

/// An unlocked keystore, a directory:
///
///     DIR/                0700
///       keystore          sealed record: version (1 byte) and keystore id (16 bytes, random)
///       master.key        the master key, wrapped
///       lock              held while master.key changes and identities are added
///       identities/MESSENGER/ID/
///                         one directory for each identity, see `IdentityRecords`
///
/// A record is bytes of an owner under a name. The keystore does not depend on a messenger.
///
/// It is a class, because records need its master key while they are lent, and noncopyable structs cannot hold a
/// borrowed neighbour. The key itself is noncopyable.
public final class OpenKeystore: Sendable {
    let locked: LockedKeystore
    let masterKey: MasterKey

    private var directory: Directory { _read { yield locked.directory } }

    /// - Parameter masterKey: a key that opens the record `keystore`.
    init(_ locked: LockedKeystore, _ masterKey: consuming MasterKey) {
        self.locked = locked
        self.masterKey = masterKey
    }

    /// Whether unlocking needs a passphrase.
    public var isProtected: Bool { locked.isProtected }

    // MARK: Identities

    /// The owners in this keystore, in byte order of messengers and IDs.
    public func identities() throws(FileError) -> [Owner] {
        try LockedKeystore.owners(in: directory)
    }

    /// The records of an identity, for reading.
    /// - Throws: `KeystoreError.noIdentity`; `FileError`.
    public func identity(_ owner: Owner) throws -> IdentityRecords {
        guard let directory = try messengerDirectory(owner.messenger)?.directoryIfPresent(owner.id) else {
            throw KeystoreError.noIdentity(owner)
        }
        return IdentityRecords(owner: owner, directory: directory, keystore: self)
    }

    /// Locks an identity and returns its records, for changing. An unfinished commit of a killed process is written out
    /// first.
    /// - Throws: `KeystoreError.noIdentity`, `.damaged` for a commit file that is not authentic; `FileError`, for
    ///   example `.locked` after `wait`.
    public func lockedIdentity(_ owner: Owner, wait: Duration) throws -> LockedIdentity {
        let identity = try lock(owner, wait: wait)
        try identity.records.finishCommit()
        return identity
    }

    /// Lends the records of an identity, and its directory, while no process that locks it changes them. Nothing is
    /// changed, not even what a killed process left unfinished, so the keystore may be on a read-only medium.
    ///
    /// An identity that was never locked is not locked: its lock would be a new file.
    /// - Parameter isCreatingLock: whether to create it if that is possible, for a change outside of the keystore from
    ///   which others have to be excluded.
    /// - Throws: `KeystoreError.noIdentity`; `FileError`, for example `.locked` after `wait`; the error of `body`.
    package func reading<Result: ~Copyable>(
        _ owner: Owner, wait: Duration, isCreatingLock: Bool = false,
        _ body: (borrowing IdentityRecords) throws -> Result
    ) throws -> Result {
        try goneIfRemoved(owner) {
            while true {
                let records = try identity(owner)
                let lock =
                    isCreatingLock
                    ? try records.directory.lockCreating(LockedKeystore.lockName, orForReadingWithin: wait)
                    : try records.directory.lockForReading(LockedKeystore.lockName, wait: wait)
                // Another process may have removed it while this one waited.
                guard try isCurrent(records) else { continue }
                let result = try body(records)
                _ = consume lock
                return result
            }
        }
    }

    /// Refuses an identity that cannot be locked, or in whose directories no file can be created, for a command that
    /// changes something outside of the keystore first.
    /// - Parameter place: the place of which records will be written.
    /// - Throws: `FileError`; `KeystoreError.noIdentity`. A lock that another process holds is no error.
    package func requireWritable(for owner: Owner, at place: PlaceName) throws {
        do {
            try lockedIdentity(owner, wait: .zero).records.requireWritable(at: place)
        } catch FileError.locked {
            try identity(owner).requireWritable(at: place)
        }
    }

    /// Runs `body`, which writes what a command can do without.
    /// - Returns: false if it could not write: another process holds the lock, the medium is read-only or full, or this
    ///   account has no permission.
    /// - Throws: any other error of `body`.
    package func attempt(_ body: () throws -> Void) throws -> Bool {
        do {
            try body()
            return true
        } catch let error as FileError where error.isOfUnsavedFile {
            return false
        }
    }

    private func lock(_ owner: Owner, wait: Duration) throws -> LockedIdentity {
        try goneIfRemoved(owner) {
            while true {
                let records = try identity(owner)
                let lock: FileLock
                do {
                    lock = try records.directory.lock(LockedKeystore.lockName, wait: wait)
                } catch {
                    guard try isCurrent(records) else { continue }
                    throw error
                }
                // Another process may have removed it while this one waited.
                guard try isCurrent(records) else { continue }
                try locked.requireInPlace()
                try records.sweep()
                return LockedIdentity(lock: lock, records: records)
            }
        }
    }

    /// Whether this is still the identity's directory.
    private func isCurrent(_ records: borrowing IdentityRecords) throws(FileError) -> Bool {
        try messengerDirectory(records.owner.messenger)?.holds(records.directory, as: records.owner.id) ?? false
    }

    /// Runs `body`. If it fails because another process removed the identity, the error is `KeystoreError.noIdentity`.
    package func goneIfRemoved<Result: ~Copyable>(_ owner: Owner, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            guard try identities().contains(owner) else { throw KeystoreError.noIdentity(owner) }
            throw error
        }
    }

    /// Adds an identity with all of its records at once.
    ///
    /// `fill` writes them into a temporary directory, which is then renamed. The next call for this messenger removes
    /// the temporary directory of a killed process.
    /// - Throws: `KeystoreError.exists`; `FileError`; the error of `fill`. Then nothing was changed.
    public func add(_ owner: Owner, _ fill: (borrowing LockedIdentity) throws -> Void) throws {
        let lock = try lockForAdding()
        try addLocked(owner, fill)
        _ = consume lock
    }

    /// The keystore's lock, for an operation that seals something new.
    func lockForAdding(wait: Duration = LockedKeystore.lockWait) throws -> FileLock {
        let lock = try locked.lock(wait: wait)
        // Another process may have replaced the master key of an empty keystore.
        try locked.prove(masterKey)
        return lock
    }

    /// As `add`. The caller holds the keystore's lock.
    func addLocked(_ owner: Owner, _ fill: (borrowing LockedIdentity) throws -> Void) throws {
        guard try messengerDirectory(owner.messenger)?.contains(owner.id) != true else {
            throw KeystoreError.exists(owner)
        }
        try self.fill(owner, in: makeMessengerDirectory(owner.messenger), fill)
    }

    /// The directory of a messenger's identities, created if it is missing.
    func makeMessengerDirectory(_ messenger: String) throws(FileError) -> Directory {
        try directory.makeDirectory(LockedKeystore.identitiesName)
        let identities = try directory.directory(LockedKeystore.identitiesName)
        try identities.makeDirectory(messenger)
        return try identities.directory(messenger)
    }

    /// - Returns: nil if no identity of that messenger was ever added.
    func messengerDirectory(_ messenger: String) throws(FileError) -> Directory? {
        guard let identities = try directory.directoryIfPresent(LockedKeystore.identitiesName) else { return nil }
        return try identities.directoryIfPresent(messenger)
    }

    /// The caller holds the keystore's lock.
    /// - Returns: the result of `fill`, for example the new directory's lock.
    func fill<Value: ~Copyable>(
        _ owner: Owner, in parent: borrowing Directory, _ fill: (borrowing LockedIdentity) throws -> Value
    ) throws -> Value {
        let temporary = Self.temporaryName(owner.id)
        try sweep(temporary, in: parent)
        return try EndingSignals.held {
            let value: Value
            do {
                try parent.makeDirectory(temporary)
                value = try fill(
                    LockedIdentity(
                        lock: nil,
                        records: IdentityRecords(
                            owner: owner, directory: try parent.directory(temporary), keystore: self)))
            } catch {
                try? parent.removeDirectory(temporary, depth: LockedKeystore.identityDepth)
                throw error
            }
            do {
                try parent.rename(temporary, to: owner.id, existing: .refuse)
            } catch {
                // If the sync of the directory failed, it has its name already. A lock that `fill` returned keeps other
                // processes out until the name is taken back.
                if case FileError.system(.sync, _, _) = error {
                    try? parent.rename(owner.id, to: temporary, existing: .refuse)
                }
                try? parent.removeDirectory(temporary, depth: LockedKeystore.identityDepth)
                _ = consume value
                throw error
            }
            return value
        }
    }

    /// Removes an identity: its directory is renamed, then its files are deleted.
    /// - Throws: `KeystoreError.noIdentity`; `FileError`, for example `.locked` after `wait`, or `.wrongKind` for a
    ///   directory in it that nobody expects there; then nothing was changed.
    public func remove(_ owner: Owner, wait: Duration) throws {
        let held = try lock(owner, wait: wait)
        let lock = try locked.lock()
        if let parent = try messengerDirectory(owner.messenger), try parent.contains(owner.id) {
            try remove(owner.id, from: parent)
        }
        _ = consume lock
        _ = consume held
    }

    /// The caller holds the keystore's lock.
    func remove(_ id: String, from parent: borrowing Directory) throws {
        let temporary = Self.temporaryName(id)
        // Otherwise the identity would be gone, and its files would stay under the temporary name.
        try parent.requireRemovable(id, depth: LockedKeystore.identityDepth)
        try sweep(temporary, in: parent)
        try EndingSignals.held {
            try parent.rename(id, to: temporary, existing: .refuse)
            try parent.removeDirectory(
                temporary, depth: LockedKeystore.identityDepth, last: LockedKeystore.lockName)
        }
    }

    /// Removes temporary directories of killed processes. Best effort, except for `temporary`.
    /// - Throws: `FileError` if `temporary` cannot be removed.
    private func sweep(_ temporary: String, in parent: borrowing Directory) throws(FileError) {
        try? parent.sweepDirectories(depth: LockedKeystore.identityDepth)
        try parent.removeDirectory(temporary, depth: LockedKeystore.identityDepth)
    }

    /// The name of an identity's directory while it is added or removed. Listings skip it.
    private static func temporaryName(_ id: String) -> String { ".\(id).new" }

    // MARK: Digests

    /// Derives a key for keyed digests of data outside of records.
    /// - Parameter purpose: 1 to 16 lower-case letters; not the name of a record.
    /// - Returns: 32 bytes.
    public func digestKey(_ purpose: RecordName) -> SecureBytes {
        SealedRecord.recordKey(purpose, masterKey)
    }
}
