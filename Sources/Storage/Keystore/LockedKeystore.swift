public import AtomicFiles
public import KeyWrapping
public import SecureMemory

/// A keystore that is not unlocked: a directory whose `master.key` was parsed.
public final class LockedKeystore: Sendable {
    static let masterKeyName = "master.key"
    static let lockName = "lock"
    static let identitiesName = "identities"
    static let recordName: RecordName = "keystore"
    /// The version that this program writes, in the record `keystore`.
    static let version: UInt8 = 2
    static let keystoreIDCount = 16
    /// Depth of directories, counted from an identity: itself, places, a place, its history.
    static let identityDepth = 4
    /// How long an operation waits for the keystore's lock.
    static let lockWait = Duration.seconds(30)

    let directory: Directory
    private let wrapped: WrappedKey

    /// Reads `master.key`; nothing is opened.
    /// - Throws: `KeystoreError.absent` if the directory is missing or empty, `.masterKeyMissing`, `.version1`,
    ///   `.unknownVersion`; `KeyFileError`; `FileError`, for example `.exposed`.
    public init(at path: String) throws {
        do throws(FileError) {
            directory = try Directory.open(path, rule: .secret)
        } catch .missing {
            throw KeystoreError.absent(path: path)
        } catch {
            throw error
        }
        try Self.requireReadable(directory)
        guard try directory.contains(Self.masterKeyName) else {
            guard try Self.isEmpty(directory) else { throw KeystoreError.masterKeyMissing(path: path) }
            throw KeystoreError.absent(path: path)
        }
        wrapped = try WrappedKey(try directory.read(Self.masterKeyName, limit: KeyFileFormat.maxCount))
        sweep()
    }

    /// The owners in a keystore, by the names of their directories. `master.key` is not read.
    /// - Throws: `FileError`, for example `.missing`, `.exposed`.
    public static func owners(at path: String) throws(FileError) -> [Owner] {
        try owners(in: Directory.open(path, rule: .secret))
    }

    /// The owners in a keystore, in byte order of messengers and IDs. Other names are skipped.
    static func owners(in directory: borrowing Directory) throws(FileError) -> [Owner] {
        guard let identities = try directory.directoryIfPresent(identitiesName) else { return [] }
        var owners: [Owner] = []
        for messenger in try identities.names() where Owner.isMessenger(messenger) {
            // A foreign file of such a name is not an error.
            if try identities.isFile(messenger) { continue }
            owners += try identities.directory(messenger).names().compactMap { Owner(messenger: messenger, id: $0) }
        }
        return owners
    }

    /// The path of the directory, as given.
    public var path: String { directory.path }

    /// The path of the master key's file.
    package var masterKeyPath: String { directory.path + "/" + Self.masterKeyName }

    /// The permission bits of that file.
    package func masterKeyMode() throws(FileError) -> UInt32 { try directory.mode(of: Self.masterKeyName) }

    /// The protection of the master key.
    public var protection: WrappedKey.Protection { wrapped.protection }

    /// Whether unlocking needs a passphrase.
    public var isProtected: Bool { protection != .none }

    // MARK: Opening

    /// Unlocks a keystore without a passphrase.
    /// - Throws: `KeyFileError.protected`; `KeystoreError.damaged`.
    public func unlock() throws -> OpenKeystore { try unlock(wrapped.open()) }

    /// Unlocks a protected keystore. This takes the time and memory of its key derivation.
    /// - Throws: `KeyFileError.notOpened` for a wrong passphrase, `.derivation`; `KeystoreError.damaged`.
    public func unlock(passphrase: borrowing SecureBytes) throws -> OpenKeystore {
        try unlock(wrapped.open(passphrase: passphrase))
    }

    /// Unlocks the keystore with the key that `OpenKeystore.keepUnlocked` stored in the kernel's keyring.
    /// - Returns: nil if the keyring does not have the key, if the key has expired or cannot be read, or if it does not
    ///   open this keystore.
    public func unlockFromKeyring() -> OpenKeystore? {
        guard let name = try? keyringName(), let key = KernelKeyring.find(name), key.count == MasterKey.count else {
            return nil
        }
        return try? unlock(MasterKey(key))
    }

    /// Removes the key from the kernel's keyring.
    /// - Returns: whether the keyring had the key.
    /// - Throws: `KernelKeyringError`.
    public func forgetUnlocked() throws -> Bool { try KernelKeyring.remove(try keyringName()) }

    /// The name of the key in the keyring. It is a digest of the sealed record `keystore`, which is random and never
    /// changes, because the keystore id itself is sealed.
    func keyringName() throws(FileError) -> String { try record().withBytes { Self.keyringName($0) } }

    static func keyringName(_ record: Span<UInt8>) -> String { "keytool:" + KernelKeyring.digest(of: record) }

    private func unlock(_ key: consuming MasterKey) throws -> OpenKeystore {
        try prove(key)
        return OpenKeystore(self, key)
    }

    /// Opens the record `keystore`, so that nothing is sealed with a wrong or damaged key.
    /// - Throws: `KeystoreError.damaged`, `.unknownVersion`; `FileError`.
    func prove(_ key: borrowing MasterKey) throws {
        let damaged = KeystoreError.damaged(record: Self.recordName.text, owner: nil)
        guard try directory.contains(Self.recordName.text) else { throw damaged }
        let content = try record().withBytes { (record) throws(KeystoreError) in
            try SealedRecord.open(record, of: nil, Self.recordName, key: key)
        }
        let bytes = content.revealBytes()
        if let version = bytes.first, version > Self.version { throw KeystoreError.unknownVersion(version) }
        guard bytes.count == 1 + Self.keystoreIDCount, bytes[0] == Self.version else { throw damaged }
    }

    /// Seals the record `keystore` under a given nonce.
    /// - Parameters:
    ///   - id: the keystore id, 16 bytes.
    ///   - nonce: 24 bytes, never used twice with one master key.
    /// - Returns: 61 bytes.
    package static func ownRecord(id: [UInt8], key: borrowing MasterKey, nonce: [UInt8]) -> [UInt8] {
        precondition(id.count == keystoreIDCount)
        return SealedRecord.seal(
            ([version] + id).span, of: nil, recordName, fileName: nil, key: key, nonce: nonce)
    }

    func record() throws(FileError) -> SecureBytes { try Self.record(in: directory) }

    private static func record(in directory: borrowing Directory) throws(FileError) -> SecureBytes {
        try directory.read(recordName.text, limit: IdentityRecords.maxRecordBytes)
    }

    /// Refuses a keystore of version 1 or of a later one, by the first 4 bytes of its record, so before a passphrase is
    /// asked for. A record that cannot be read is reported by what needs it.
    /// - Throws: `KeystoreError.version1`, `.unknownVersion`.
    static func requireReadable(_ directory: borrowing Directory) throws(KeystoreError) {
        guard let record = try? record(in: directory) else { return }
        if record.withBytes({ SealedRecord.isSealedInVersion1($0) }) { throw .version1(path: directory.path) }
        if let version = record.withBytes({ SealedRecord.laterVersion($0) }) { throw .unknownVersion(version) }
    }

    // MARK: The directory

    /// The permission problems of the keystore's own files and of all identities: wrong modes, owners and kinds of
    /// files. Nothing is decrypted.
    ///
    /// A file that is not found again is left out: it was removed meanwhile, or its name is not UTF-8, and then it is
    /// not one of a keystore's files.
    /// - Returns: one error for each file or directory.
    package func permissionProblems() throws(FileError) -> [FileError] {
        var own: [FileError] = []
        do throws(FileError) { try directory.requirePlainFile(Self.recordName.text) } catch { own.append(error) }
        do throws(FileError) { try directory.requirePlainFile(Self.lockName) } catch { own.add(error) }
        guard let identities = try directory.directoryIfPresent(Self.identitiesName) else { return own }
        return try own
            + Self.permissionProblems(in: identities) { (directory, name) throws(FileError) in
                guard Owner.isMessenger(name) else { return try Self.permissionProblems(of: directory) }
                var errors = try Self.permissionProblems(in: directory) { (directory, _) throws(FileError) in
                    try Self.permissionProblems(of: directory)
                }
                for file in try directory.everyName() where Self.isPending(file) {
                    do throws(FileError) { try directory.requirePlainFile(file) } catch { errors.add(error) }
                }
                return errors
            }
    }

    /// - Parameter look: called for each directory in this one.
    private static func permissionProblems(
        in directory: borrowing Directory, _ look: (borrowing Directory, String) throws(FileError) -> [FileError]
    ) throws(FileError) -> [FileError] {
        var errors: [FileError] = []
        for name in try directory.names() {
            do throws(FileError) { errors += try look(directory.directory(name), name) } catch { errors.add(error) }
        }
        return errors
    }

    /// - Parameter directory: that of an identity or a place.
    private static func permissionProblems(of directory: borrowing Directory) throws(FileError) -> [FileError] {
        var errors: [FileError] = []
        for name in try directory.names() {
            do throws(FileError) {
                switch name {
                case History.directoryName: errors += try permissionProblems(of: directory.directory(name))
                case IdentityRecords.placesName:
                    errors += try permissionProblems(in: directory.directory(name)) { (place, _) throws(FileError) in
                        try permissionProblems(of: place)
                    }
                default: try directory.requirePlainFile(name)
                }
            } catch {
                errors.add(error)
            }
        }
        return errors
    }

    /// Locks the keystore, for changing it.
    /// - Throws: `KeystoreError.moved`; `FileError`, for example `.locked` after `wait`.
    func lock(wait: Duration = LockedKeystore.lockWait) throws -> FileLock {
        let lock = try directory.lock(Self.lockName, wait: wait)
        try requireInPlace()
        return lock
    }

    /// Refuses a keystore that is not at its path any more. Each change calls this under its lock: while a command asked
    /// a question or waited for a lock, somebody may have moved the keystore, and nobody would find what is written then.
    /// - Throws: `KeystoreError.moved`.
    func requireInPlace() throws { try Self.requireInPlace(directory) }

    /// As above, for a directory that will become a keystore.
    static func requireInPlace(_ directory: borrowing Directory) throws {
        guard try directory.isAtItsPath() else { throw KeystoreError.moved(path: directory.path) }
    }

    /// Whether the master key's file is unchanged since it was read.
    func isCurrent() throws(FileError) -> Bool {
        guard try directory.contains(Self.masterKeyName) else { return false }
        let now = try directory.read(Self.masterKeyName, limit: KeyFileFormat.maxCount)
        return now.withBytes { now in wrapped.file.withBytes { ConstantTime.areEqual(now, $0) } }
    }

    /// Whether the keystore holds no identity, no pending record, and no other files among them.
    static func isEmpty(_ directory: borrowing Directory) throws(FileError) -> Bool {
        guard let identities = try directory.directoryIfPresent(identitiesName) else { return true }
        for name in try identities.names() {
            guard Owner.isMessenger(name), try identities.directory(name).names().isEmpty,
                try pendings(of: name, in: directory).isEmpty
            else { return false }
        }
        return true
    }

    /// Removes temporary files and directories of killed processes, unless another process holds the lock: a new
    /// `master.key`, or an identity that was being added or removed. Best effort; errors are ignored.
    private func sweep() {
        let identities = try? directory.directory(Self.identitiesName)
        let messengers = ((try? identities?.names()) ?? []).filter(Owner.isMessenger)
        let isUntidy =
            (try? directory.hasTemporaryNames()) == true || (try? identities?.hasTemporaryNames()) == true
            || messengers.contains { (try? identities?.directory($0).hasTemporaryNames()) == true }
        guard isUntidy, let lock = try? directory.lock(Self.lockName, wait: .zero) else { return }
        try? directory.sweepFiles()
        try? identities?.sweepDirectories(depth: Self.identityDepth)
        for name in messengers {
            guard let messenger = try? identities?.directory(name) else { continue }
            // A pending record that was being written is a file.
            try? messenger.sweepFiles()
            try? messenger.sweepDirectories(depth: Self.identityDepth)
        }
        _ = consume lock
    }
}

extension [FileError] {
    /// Appends a permission problem.
    fileprivate mutating func add(_ error: FileError) {
        if case .missing = error { return }
        append(error)
    }
}
