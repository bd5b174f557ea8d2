public import AtomicFiles
public import SecureMemory

// What was made for an identity that has no ID yet, one sealed record each, beside the identities of its messenger:
//
//     identities/MESSENGER/.pending-NAME    0600   sealed record "pending"; its owner is MESSENGER and NAME
//
// Listings of identities skip it. It changes under the keystore's lock.

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
    /// - Throws: `KeystoreError.exists`; `FileError`. Then nothing was changed.
    public func addPending(_ name: Owner, _ content: Span<UInt8>) throws {
        let lock = try lockForAdding()
        let messenger = try makeMessengerDirectory(name.messenger)
        try messenger.sweepFiles()
        guard try !messenger.contains(name.pendingFile) else { throw KeystoreError.exists(name) }
        let record = SealedRecord.seal(content, of: name, LockedKeystore.pendingName, key: masterKey)
        try messenger.write(name.pendingFile, record.span, existing: .refuse)
        _ = consume lock
    }

    /// Adds the identity for which a pending record was made, as `add` does, and removes the record. A process that
    /// dies in between leaves both.
    /// - Parameter name: the messenger is that of `owner`.
    /// - Throws: `KeystoreError.noIdentity` if the pending record is missing: another process was faster; else as
    ///   `add`. Then nothing was changed, unless only the removal of the record failed.
    public func complete(
        _ name: Owner, as owner: Owner, _ fill: (borrowing LockedIdentity) throws -> Void
    ) throws {
        precondition(name.messenger == owner.messenger)
        let lock = try lockForAdding()
        guard let messenger = try messengerDirectory(name.messenger), try messenger.contains(name.pendingFile) else {
            throw KeystoreError.noIdentity(name)
        }
        try addLocked(owner, fill)
        try messenger.remove(name.pendingFile)
        _ = consume lock
    }

    /// Removes a pending record and what it holds.
    /// - Throws: `KeystoreError.noIdentity` if it is missing; `FileError`.
    public func removePending(_ name: Owner) throws {
        let lock = try lockForAdding()
        guard let messenger = try messengerDirectory(name.messenger), try messenger.contains(name.pendingFile) else {
            throw KeystoreError.noIdentity(name)
        }
        try messenger.remove(name.pendingFile)
        _ = consume lock
    }
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
