internal import AtomicFiles
public import KeyWrapping
public import SecureMemory

// Creating and changing `master.key`. Records are sealed with the key itself, so a new passphrase changes only this
// file.

extension OpenKeystore {
    /// Opens the keystore in a directory, or creates one that no passphrase protects.
    ///
    /// Several processes may call this at once: one of them creates the keystore, the others open it. `master.key` is
    /// written last, under the lock, and is never replaced.
    /// - Parameter path: of the directory. It is created with mode 0700 if it does not exist.
    /// - Throws: as `LockedKeystore.init` and `unlock()`; `KeystoreError.foreign`, `.moved`.
    public static func openOrCreate(at path: String) throws -> OpenKeystore {
        try openOrCreate(at: path, opening: { try $0.unlock() }, protecting: { try .unprotected($0) })
    }

    /// Opens the protected keystore in a directory, or creates one under this passphrase.
    /// - Parameters:
    ///   - path: as in `openOrCreate(at:)`.
    ///   - passphrase: opens the keystore if it exists, and protects a new one by Argon2id (128 MiB, 8 passes).
    /// - Throws: as `LockedKeystore.init` and `unlock(passphrase:)`; `KeystoreError.unprotected` if the keystore exists
    ///   and has no passphrase; `KeystoreError.foreign`, `.moved`.
    public static func openOrCreate(at path: String, passphrase: borrowing SecureBytes) throws -> OpenKeystore {
        try openOrCreate(at: path) { locked in
            guard locked.isProtected else { throw KeystoreError.unprotected(path: path) }
            return try locked.unlock(passphrase: passphrase)
        } protecting: { key in
            let wrapped = try WrappedKey.protected(key, by: passphrase, .argon2id)
            try proveReproduced(wrapped, key, by: passphrase)
            return wrapped
        }
    }

    private static func openOrCreate(
        at path: String, opening open: (LockedKeystore) throws -> OpenKeystore,
        protecting protect: (borrowing MasterKey) throws -> WrappedKey
    ) throws -> OpenKeystore {
        if let present = try existing(at: path) { return try open(present) }
        try Directory.make(path)
        let directory = try Directory.open(path, rule: .secret)
        let lock = try directory.lock(LockedKeystore.lockName, wait: LockedKeystore.lockWait)
        if let present = try existing(at: path) { return try open(present) }
        let key = MasterKey.random()
        try write(key, try protect(key), in: directory)
        _ = consume lock
        return OpenKeystore(try LockedKeystore(at: path), key)
    }

    /// - Returns: nil if the directory is missing or empty.
    private static func existing(at path: String) throws -> LockedKeystore? {
        do {
            return try LockedKeystore(at: path)
        } catch KeystoreError.absent {
            return nil
        }
    }

    /// Creates a keystore without a passphrase from an existing master key. The directory must be missing or hold no
    /// identities.
    /// - Throws: `KeystoreError.notEmpty`, `.version1`, `.unknownVersion`, `.foreign`, `.moved`; `FileError`. Then nothing
    ///   was changed.
    package static func adopt(_ key: borrowing MasterKey, at path: String) throws {
        try adopt(key, as: .unprotected(key), at: path)
    }

    /// Creates a keystore from an existing master key, with the passphrase of the key's file.
    /// - Parameters:
    ///   - key: the master key.
    ///   - wrapped: the key's file. It becomes `master.key` unchanged, unless its cost is weak: then the key is
    ///     protected again at keytool's own cost.
    ///   - passphrase: the passphrase that opened `wrapped`.
    ///   - path: of the directory.
    /// - Returns: the protection of the key in the keystore.
    /// - Throws: as `adopt(_:at:)`; `KeyFileError.derivation`, `.notReproduced`.
    package static func adopt(
        _ key: borrowing MasterKey, _ wrapped: borrowing WrappedKey, passphrase: borrowing SecureBytes, at path: String
    ) throws -> WrappedKey.Protection {
        guard wrapped.protection.isWeak else {
            try adopt(key, as: wrapped, at: path)
            return wrapped.protection
        }
        // The writer of the file must not decide how much a guess at the passphrase costs.
        let ours = try WrappedKey.protected(key, by: passphrase, .argon2id)
        try proveReproduced(ours, key, by: passphrase)
        try adopt(key, as: ours, at: path)
        return ours.protection
    }

    private static func adopt(
        _ key: borrowing MasterKey, as wrapped: borrowing WrappedKey, at path: String
    ) throws {
        try Directory.make(path)
        let directory = try Directory.open(path, rule: .secret)
        let lock = try directory.lock(LockedKeystore.lockName, wait: LockedKeystore.lockWait)
        try LockedKeystore.requireReadable(directory)
        guard try LockedKeystore.isEmpty(directory) else { throw KeystoreError.notEmpty(path: path) }
        try write(key, wrapped, in: directory)
        _ = consume lock
    }

    /// Writes the record `keystore`, then `master.key`, with which the keystore comes into being. The caller holds the
    /// lock; deriving a key from the passphrase may have taken seconds since.
    private static func write(
        _ key: borrowing MasterKey, _ wrapped: borrowing WrappedKey, in directory: borrowing Directory
    ) throws {
        try LockedKeystore.requireInPlace(directory)
        // A foreign file of that name, for example a Java keystore, is not replaced.
        let name = LockedKeystore.recordName
        if try directory.contains(name.text) {
            let record = try directory.read(name.text, limit: IdentityRecords.maxRecordBytes)
            guard record.withBytes({ SealedRecord.isSealed($0) }) else {
                throw KeystoreError.foreign(path: directory.path + "/" + name.text)
            }
        }
        // The old key of an empty keystore opens nothing, so it may be removed.
        if try directory.contains(LockedKeystore.masterKeyName) { try directory.remove(LockedKeystore.masterKeyName) }
        let record = LockedKeystore.ownRecord(
            id: Random.bytes(LockedKeystore.keystoreIDCount), key: key, nonce: SealedRecord.randomNonce())
        try directory.write(name.text, record.span)
        try wrapped.file.withBytes { (file) throws(FileError) in
            try directory.write(LockedKeystore.masterKeyName, file, existing: .refuse)
        }
    }

    // MARK: The passphrase

    /// Sets or changes the passphrase of the master key.
    ///
    /// The new file is read back and opened with the new passphrase before it replaces the old one. For another change of
    /// the passphrase, and for `keepUnlocked`, the keystore has to be opened again.
    /// - Throws: `KeystoreError.changed` if the file was changed since it was read, by another process or by this object;
    ///   `KeyFileError.derivation`, `.notReproduced`; `FileError`. Then the old file is unchanged, unless only the last
    ///   step failed, the sync of the directory.
    public func protect(by passphrase: borrowing SecureBytes, _ scheme: WrappedKey.Scheme) throws {
        try replace(with: try .protected(masterKey, by: passphrase, scheme)) { file in
            try Self.proveReproduced(try WrappedKey(file), masterKey, by: passphrase)
        }
    }

    /// Removes the passphrase from the master key.
    /// - Throws: as `protect`.
    public func unprotect() throws {
        try replace(with: try .unprotected(masterKey)) { file in
            guard try WrappedKey(file).open() == masterKey else { throw KeyFileError.notReproduced }
        }
    }

    private func replace(
        with wrapped: consuming WrappedKey, proof: (consuming SecureBytes) throws -> Void
    ) throws {
        let lock = try locked.lock()
        guard try locked.isCurrent() else { throw KeystoreError.changed(path: locked.masterKeyPath) }
        try wrapped.file.withBytes { try locked.directory.replace(LockedKeystore.masterKeyName, $0, proof: proof) }
        _ = consume lock
    }

    private static func proveReproduced(
        _ wrapped: borrowing WrappedKey, _ key: borrowing MasterKey, by passphrase: borrowing SecureBytes
    ) throws(KeyFileError) {
        let opened: MasterKey
        do throws(KeyFileError) {
            opened = try wrapped.open(passphrase: passphrase)
        } catch .derivation(let error) {
            throw .derivation(error)
        } catch {
            throw .notReproduced
        }
        guard opened == key else { throw .notReproduced }
    }

    // MARK: The kernel's keyring

    /// Stores the master key in the kernel's keyring, for `LockedKeystore.unlockFromKeyring`.
    /// - Parameter seconds: the kernel removes the key after this time. The process ends if it is 0, which the kernel
    ///   takes for no end.
    /// - Throws: `KernelKeyringError`; `KeystoreError.changed` if another process changed the passphrase since the file
    ///   was read. Then the keyring has no key.
    public func keepUnlocked(seconds: UInt32) throws {
        precondition(seconds > 0)
        try KernelKeyring.keep(masterKey.bytes, as: try locked.keyringName(), seconds: seconds)
        // Who changes the passphrase empties the keyring after that: of the two, the later one sees the other.
        do {
            guard try locked.isCurrent() else { throw KeystoreError.changed(path: locked.masterKeyPath) }
        } catch {
            _ = try? locked.forgetUnlocked()
            throw error
        }
    }
}
