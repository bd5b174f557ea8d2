public import AtomicFiles
public import SecureMemory

// What was made for an identity that has no ID yet, one sealed record each, beside the identities of its messenger:
//
//     identities/MESSENGER/.pending-NAME    0600   sealed record "pending"; its owner is MESSENGER and NAME
//
// Listings of identities skip it. It is added and removed under the keystore's lock. The process that works on it holds
// a lock on the file itself, also during its requests.

extension OpenKeystore {
    /// The pending records of a messenger, in byte order of their names. Nothing is decrypted.
    /// - Returns: owners whose `id` is the name that `addPending` got.
    public func pendings(of messenger: String) throws(FileError) -> [Owner] {
        try LockedKeystore.pendings(of: messenger, in: locked.directory)
    }

    /// Opens a pending record.
    /// - Throws: `KeystoreError.noIdentity` if it is missing, `.damaged`; `FileError`.
    public func pending(_ name: Owner) throws -> SecureBytes {
        guard let messenger = try messengerDirectory(name.messenger),
            let record = try messenger.readIfPresent(name.pendingFile, limit: IdentityRecords.maxRecordBytes)
        else { throw KeystoreError.noIdentity(name) }
        return try record.withBytes { (record) throws(KeystoreError) in
            try SealedRecord.open(record, of: name, LockedKeystore.pendingName, key: masterKey)
        }
    }

    /// Seals and writes a pending record, whole or not at all.
    /// - Parameter name: a messenger, and a name of the caller's choice instead of an ID.
    /// - Returns: the record, locked since it exists.
    /// - Throws: `KeystoreError.exists`; `FileError`, also `.tooLarge` for a content that could not be read again. Then
    ///   nothing was changed.
    public func addPending(_ name: Owner, _ content: Span<UInt8>) throws -> LockedPending {
        let lock = try lockForAdding()
        let messenger = try makeMessengerDirectory(name.messenger)
        guard content.count <= RecordName.maxContentBytes else {
            throw FileError.tooLarge(path: messenger.path + "/" + name.pendingFile, limit: RecordName.maxContentBytes)
        }
        try messenger.sweepFiles()
        guard try !messenger.contains(name.pendingFile) else { throw KeystoreError.exists(name) }
        let record = SealedRecord.seal(content, of: name, LockedKeystore.pendingName, key: masterKey)
        try messenger.write(name.pendingFile, record.span, existing: .refuse)
        // Other processes first wait for the keystore's lock, so this one is the first to lock the record.
        guard let own = try messenger.lockIfPresent(name.pendingFile, wait: .zero) else {
            throw KeystoreError.noIdentity(name)
        }
        _ = consume lock
        return LockedPending(name: name, lock: own)
    }

    /// Locks a pending record, which another process may be working on.
    /// - Throws: `KeystoreError.noIdentity` if it is missing, also if another process removed it during `wait`;
    ///   `FileError`, for example `.locked` after `wait`.
    public func lockedPending(_ name: Owner, wait: Duration) throws -> LockedPending {
        guard let messenger = try messengerDirectory(name.messenger) else { throw KeystoreError.noIdentity(name) }
        // A process that is adding the record has locked it, too, when this returns.
        _ = try lockForAdding()
        guard let lock = try messenger.lockIfPresent(name.pendingFile, wait: wait) else {
            throw KeystoreError.noIdentity(name)
        }
        return LockedPending(name: name, lock: lock)
    }

    /// Adds the identity for which a pending record was made, as `add` does, and removes the record. A process that
    /// dies in between leaves both.
    /// - Parameter owner: of the same messenger as the record.
    /// - Throws: `KeystoreError.noIdentity` if the pending record is missing; else as `add`. Then nothing was changed,
    ///   unless only the removal of the record failed.
    public func complete(
        _ pending: borrowing LockedPending, as owner: Owner, _ fill: (borrowing LockedIdentity) throws -> Void
    ) throws {
        precondition(pending.name.messenger == owner.messenger)
        let lock = try lockForAdding()
        let messenger = try directory(of: pending)
        try addLocked(owner, fill)
        try messenger.remove(pending.name.pendingFile)
        _ = consume lock
    }

    /// Removes a pending record and its content.
    /// - Parameter wait: for the keystore's lock; nil for as long as `addPending` waits.
    /// - Throws: `KeystoreError.noIdentity` if it is missing; `FileError`.
    public func removePending(_ pending: borrowing LockedPending, wait: Duration? = nil) throws {
        let lock = try lockForAdding(wait: wait ?? LockedKeystore.lockWait)
        try directory(of: pending).remove(pending.name.pendingFile)
        _ = consume lock
    }

    /// - Throws: `KeystoreError.noIdentity` if the record is missing.
    private func directory(of pending: borrowing LockedPending) throws -> Directory {
        let name = pending.name
        guard let messenger = try messengerDirectory(name.messenger), try messenger.contains(name.pendingFile) else {
            throw KeystoreError.noIdentity(name)
        }
        return messenger
    }
}

/// A pending record that no other process works on: its file is locked. The lock of a killed process ends by itself.
public struct LockedPending: ~Copyable {
    /// A messenger, and the name of the record instead of an ID.
    public let name: Owner
    fileprivate let lock: FileLock
}

extension LockedKeystore {
    static let pendingName: RecordName = "pending"
    private static let pendingPrefix = ".pending-"

    static func pendings(of messenger: String, in directory: borrowing Directory) throws(FileError) -> [Owner] {
        guard let identities = try directory.directoryIfPresent(identitiesName),
            let names = try identities.directoryIfPresent(messenger)?.everyName()
        else { return [] }
        return names.compactMap { name in
            guard name.utf8.starts(with: pendingPrefix.utf8) else { return nil }
            return Owner(messenger: messenger, id: String(name.dropFirst(pendingPrefix.count)))
        }
    }

    /// Whether a file of a messenger's directory is a pending record.
    static func isPending(_ file: String) -> Bool { file.utf8.starts(with: pendingPrefix.utf8) }

    fileprivate static func pendingFile(_ name: Owner) -> String { pendingPrefix + name.id }
}

extension Owner {
    /// The name of the pending record in the directory of its messenger.
    fileprivate var pendingFile: String { LockedKeystore.pendingFile(self) }
}
