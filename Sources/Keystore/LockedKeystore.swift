public import AtomicFiles
public import KeyWrapping
public import SecureMemory

/// A keystore as it lies there: a folder whose `master.key` is sound as a key file, but not opened yet.
public final class LockedKeystore: Sendable {
    static let masterKeyName = "master.key"
    static let lockName = "lock"
    static let identitiesName = "identities"
    static let recordName: RecordName = "keystore"
    static let recordVersion: UInt8 = 1
    static let keystoreIDCount = 16
    /// Stands for the ID in the keystore's own record; no identity has it.
    static let ownID = "********"
    /// How long an operation on the keystore as a whole waits for another one.
    static let lockWait = Duration.seconds(30)

    let folder: Folder
    private let wrapped: WrappedKey

    /// - Throws: `KeystoreError.absent` where there is none or it is empty, `.masterKeyMissing`; `KeyFileError`;
    ///   `FileError`, for example `.exposed`.
    public init(at path: String) throws {
        do throws(FileError) {
            folder = try Folder.open(path, rule: .secret)
        } catch .missing {
            throw KeystoreError.absent(path: path)
        } catch {
            throw error
        }
        guard try folder.contains(Self.masterKeyName) else {
            guard try Self.isEmpty(folder) else { throw KeystoreError.masterKeyMissing(path: path) }
            throw KeystoreError.absent(path: path)
        }
        wrapped = try WrappedKey(try folder.read(Self.masterKeyName, limit: KeyFileFormat.maxCount))
        sweep()
    }

    /// The names of the identities' folders. The master key's file is not looked at.
    /// - Throws: `FileError`, for example `.missing`, `.exposed`.
    public static func identityNames(at path: String) throws(FileError) -> [String] {
        try Folder.open(path, rule: .secret).folder(identitiesName).names()
    }

    /// The folder's path, as it was given.
    public var path: String { folder.path }

    /// The path of the file that holds the master key.
    public var masterKeyPath: String { folder.path + "/" + Self.masterKeyName }

    /// The permission bits of that file.
    public func masterKeyMode() throws(FileError) -> UInt32 { try folder.mode(of: Self.masterKeyName) }

    /// What protects the master key.
    public var protection: WrappedKey.Protection { wrapped.protection }

    /// Whether opening it takes a passphrase.
    public var isProtected: Bool { protection != .none }

    // MARK: Opening

    /// Opens a keystore without protection.
    /// - Throws: `KeyFileError.protected`; `KeystoreError.damaged`.
    public func unlock() throws -> Keystore { try unlock(wrapped.open()) }

    /// Opens a protected keystore.
    /// - Throws: `KeyFileError.notOpened`, `.derivation`; `KeystoreError.damaged`.
    public func unlock(passphrase: borrowing SecureBytes) throws -> Keystore {
        try unlock(wrapped.open(passphrase: passphrase))
    }

    /// Opens it with the key that `Keystore.keepUnlocked` left in the kernel's keyring.
    /// - Returns: nil where there is none, it has expired, is out of reach, or is not this keystore's.
    public func unlockFromKeyring() -> Keystore? {
        guard let name = try? keyringName(), let key = KernelKeyring.find(name), key.count == MasterKey.count else {
            return nil
        }
        return try? unlock(MasterKey(key))
    }

    /// Takes the key out of the kernel's keyring.
    /// - Returns: whether one was there.
    /// - Throws: `KernelKeyringError`.
    public func forgetUnlocked() throws -> Bool { try KernelKeyring.remove(try keyringName()) }

    /// The key's name in the keyring. The keystore's id is sealed; the sealed record, never written twice
    /// alike and never changed, stands for it.
    func keyringName() throws(FileError) -> String { "keytool:" + KernelKeyring.digest(of: try record()) }

    private func unlock(_ key: consuming MasterKey) throws -> Keystore {
        try prove(key)
        return Keystore(self, key)
    }

    /// Whether the keystore's record opens: a key that is wrong or flipped must seal nothing.
    /// - Throws: `KeystoreError.damaged`; `FileError`.
    func prove(_ key: borrowing MasterKey) throws {
        let damaged = KeystoreError.damaged(record: Self.recordName.text, id: nil)
        guard try folder.contains(Self.recordName.text) else { throw damaged }
        let record = try record()
        let content: SecureBytes
        do {
            content = try record.withBytes { (record) throws(KeystoreError) in
                try SealedRecord.open(record, id: Self.ownID, name: Self.recordName, key: key)
            }
        } catch {
            throw damaged
        }
        guard content.count == 1 + Self.keystoreIDCount, content.withBytes({ $0[0] == Self.recordVersion }) else {
            throw damaged
        }
    }

    private func record() throws(FileError) -> SecureBytes {
        try folder.read(Self.recordName.text, limit: IdentityRecords.maxRecordBytes)
    }

    // MARK: The folder

    /// What is wrong with the modes, owners and kinds of the files of all identities: nothing of it is opened.
    /// - Returns: one error for each file or folder.
    public func untidiness() throws(FileError) -> [FileError] {
        guard try folder.contains(Self.identitiesName) else { return [] }
        let identities = try folder.folder(Self.identitiesName)
        var errors: [FileError] = []
        for id in try identities.names() {
            do throws(FileError) {
                let records = try identities.folder(id)
                errors += try untidiness(of: records, except: History.folderName)
                if try records.contains(History.folderName) {
                    errors += try untidiness(of: records.folder(History.folderName))
                }
            } catch {
                errors.append(error)
            }
        }
        return errors
    }

    private func untidiness(of folder: borrowing Folder, except inner: String? = nil) throws(FileError) -> [FileError] {
        var errors: [FileError] = []
        for name in try folder.names() where name != inner {
            do throws(FileError) { try folder.requirePlainFile(name) } catch { errors.append(error) }
        }
        return errors
    }

    /// Whether the file of the master key is still the one that was read.
    func isCurrent() throws(FileError) -> Bool {
        guard try folder.contains(Self.masterKeyName) else { return false }
        let now = try folder.read(Self.masterKeyName, limit: KeyFileFormat.maxCount)
        return now.withBytes { now in wrapped.file.withBytes { ConstantTime.areEqual(now, $0) } }
    }

    static func isEmpty(_ folder: borrowing Folder) throws(FileError) -> Bool {
        guard try folder.contains(identitiesName) else { return true }
        return try folder.folder(identitiesName).names().isEmpty
    }

    /// Removes what a killed process left half made or half removed, unless somebody is at work here: the master
    /// key in another wrapping, an identity on its way in or out. A keystore that cannot be written can still be read.
    private func sweep() {
        let identities = try? folder.folder(Self.identitiesName)
        let isUntidy =
            (try? folder.hasTemporaryNames()) == true || (try? identities?.hasTemporaryNames()) == true
        guard isUntidy, let lock = try? folder.lock(Self.lockName, wait: .zero) else { return }
        try? folder.sweepFiles()
        try? identities?.sweepFolders(with: History.folderName)
        _ = consume lock
    }
}
