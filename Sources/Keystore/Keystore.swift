public import AtomicFiles
internal import KeyWrapping
public import SecureMemory

/// A folder that holds identities, open and unlocked:
///
///     DIR/                0700
///       keystore          sealed record: version (1 byte) and keystore id (16 bytes, random)
///       master.key        the master key
///       lock              held while master.key is made and identities are added
///       identities/ID/    one folder each, see `IdentityRecords`
///
/// It knows no messenger: records are bytes under an ID and a name.
public final class Keystore: Sendable {
    private static let masterKeyName = "master.key"
    private static let lockName = "lock"
    private static let identitiesName = "identities"
    private static let recordName: RecordName = "keystore"
    private static let recordVersion: UInt8 = 1
    private static let keystoreIDCount = 16
    /// Stands for the ID in the keystore's own record; no identity has it.
    private static let ownID = "********"

    private let folder: Folder
    private let masterKey: MasterKey

    /// How long an operation on the keystore as a whole waits for another one.
    private static let lockWait = Duration.seconds(30)

    // MARK: Opening

    /// Opens a keystore.
    /// - Throws: `KeystoreError.absent` where there is none or it is empty, `.masterKeyMissing`,
    ///   `.damaged`; `KeyFileError`; `FileError`, for example `.exposed`.
    public init(at path: String) throws {
        do throws(FileError) {
            folder = try Folder.open(path, rule: .secret)
        } catch .missing {
            throw KeystoreError.absent(path: path)
        } catch {
            throw error
        }
        guard let key = try Self.readMasterKey(in: folder) else {
            guard try Self.isEmpty(folder) else { throw KeystoreError.masterKeyMissing(path: path) }
            throw KeystoreError.absent(path: path)
        }
        masterKey = key
    }

    /// Opens a keystore, and makes it where there is none.
    ///
    /// Of several that make it at once, one succeeds and the others open what it made: master.key
    /// appears as the last step, under the lock, and is never replaced.
    public init(makingAt path: String) throws {
        try Folder.make(path)
        folder = try Folder.open(path, rule: .secret)
        if let key = try Self.readMasterKey(in: folder) {
            masterKey = key
            return
        }
        let lock = try folder.lock(Self.lockName, wait: Self.lockWait)
        if let key = try Self.readMasterKey(in: folder) {
            masterKey = key
        } else {
            guard try Self.isEmpty(folder) else { throw KeystoreError.masterKeyMissing(path: path) }
            masterKey = try Self.makeMasterKey(in: folder)
        }
        _ = consume lock
    }

    private static func isEmpty(_ folder: borrowing Folder) throws(FileError) -> Bool {
        guard try folder.contains(identitiesName) else { return true }
        return try folder.folder(identitiesName).names().isEmpty
    }

    /// The master key, proven by the keystore's record: a key that is wrong or flipped seals nothing.
    private static func readMasterKey(in folder: borrowing Folder) throws -> MasterKey? {
        guard try folder.contains(masterKeyName) else { return nil }
        let file = try folder.read(masterKeyName, limit: AndroidKeyFileV2.maxCount)
        let key = try file.withBytes { (file) throws(KeyFileError) in try AndroidKeyFileV2.open(file) }
        guard try folder.contains(recordName.text) else {
            throw KeystoreError.damaged(record: recordName.text, id: nil)
        }
        let record = try folder.read(recordName.text, limit: IdentityRecords.maxRecordBytes)
        do {
            let content = try record.withBytes { (record) throws(KeystoreError) in
                try SealedRecord.open(record, id: ownID, name: recordName, key: key)
            }
            guard content.count == 1 + keystoreIDCount, content.withBytes({ $0[0] == recordVersion }) else {
                throw KeystoreError.damaged(record: recordName.text, id: nil)
            }
        } catch {
            throw KeystoreError.damaged(record: recordName.text, id: nil)
        }
        return key
    }

    private static func makeMasterKey(in folder: borrowing Folder) throws -> MasterKey {
        // Somebody else's file of that name (a Java keystore, say) is not ours to replace.
        if try folder.contains(recordName.text) {
            let record = try folder.read(recordName.text, limit: IdentityRecords.maxRecordBytes)
            guard record.withBytes({ SealedRecord.isSealed($0) }) else {
                throw KeystoreError.foreign(path: folder.path + "/" + recordName.text)
            }
        }
        let key = MasterKey.random()
        let content = [recordVersion] + Random.bytes(keystoreIDCount)
        let record = SealedRecord.seal(content.span, id: ownID, name: recordName, key: key)
        try folder.write(recordName.text, record.span)
        try AndroidKeyFileV2.encode(key).withBytes { (file) throws(FileError) in
            try folder.write(masterKeyName, file, existing: .refuse)
        }
        return key
    }

    // MARK: Identities

    /// The IDs in this keystore, in byte order.
    public func identities() throws(FileError) -> [String] {
        guard try folder.contains(Self.identitiesName) else { return [] }
        return try folder.folder(Self.identitiesName).names()
    }

    /// The records of an identity, for reading.
    /// - Throws: `KeystoreError.noIdentity`; `FileError`.
    public func identity(_ id: String) throws -> IdentityRecords {
        guard try folder.contains(Self.identitiesName) else { throw KeystoreError.noIdentity(id) }
        let identities = try folder.folder(Self.identitiesName)
        guard try identities.contains(id) else { throw KeystoreError.noIdentity(id) }
        return IdentityRecords(id: id, folder: try identities.folder(id), keystore: self)
    }

    /// The records of an identity, under its lock, for changing.
    /// - Throws: `KeystoreError.noIdentity`; `FileError`, among them `.locked` after `wait`.
    public func lockedIdentity(_ id: String, wait: Duration) throws -> LockedIdentity {
        let records = try identity(id)
        return LockedIdentity(lock: try records.folder.lock(Self.lockName, wait: wait), records: records)
    }

    /// Adds an identity with all of its records at once.
    ///
    /// `fill` writes them into a folder that nobody sees yet, which then gets its name in one step. What
    /// a killed process left of such a folder is swept by the next one that adds the same ID.
    /// - Throws: `KeystoreError.exists`, and then nothing was changed; or what `fill` throws.
    public func add(_ id: String, _ fill: (borrowing LockedIdentity) throws -> Void) throws {
        let lock = try folder.lock(Self.lockName, wait: Self.lockWait)
        try folder.makeFolder(Self.identitiesName)
        let identities = try folder.folder(Self.identitiesName)
        guard try !identities.contains(id) else { throw KeystoreError.exists(id) }
        let temporary = Self.temporaryName(id)
        try identities.sweepFolders()
        try identities.makeFolder(temporary)
        do {
            try fill(
                LockedIdentity(
                    lock: nil,
                    records: IdentityRecords(id: id, folder: try identities.folder(temporary), keystore: self)))
            try identities.rename(temporary, to: id, existing: .refuse)
        } catch {
            try? identities.removeFolder(temporary)
            throw error
        }
        _ = consume lock
    }

    /// Removes an identity: its folder loses its name in one step, then its files are deleted.
    /// - Throws: `KeystoreError.noIdentity`; `FileError`, among them `.locked` after `wait`.
    public func remove(_ id: String, wait: Duration) throws {
        let held = try lockedIdentity(id, wait: wait)
        let lock = try folder.lock(Self.lockName, wait: Self.lockWait)
        let identities = try folder.folder(Self.identitiesName)
        let temporary = Self.temporaryName(id)
        try identities.sweepFolders()
        try identities.rename(id, to: temporary, existing: .refuse)
        try identities.removeFolder(temporary)
        _ = consume lock
        _ = consume held
    }

    /// The name of a folder that is on its way in or out; no listing shows it.
    private static func temporaryName(_ id: String) -> String { ".\(id).new" }

    func seal(_ plaintext: Span<UInt8>, id: String, name: RecordName) -> [UInt8] {
        SealedRecord.seal(plaintext, id: id, name: name, key: masterKey)
    }

    func open(_ record: Span<UInt8>, id: String, name: RecordName) throws(KeystoreError) -> SecureBytes {
        try SealedRecord.open(record, id: id, name: name, key: masterKey)
    }

    /// A key for a keyed digest of what is kept outside of records, bound to its purpose.
    /// - Parameter purpose: 1 to 16 lower-case letters; no record has this name.
    /// - Returns: 32 bytes.
    public func digestKey(_ purpose: RecordName) -> SecureBytes {
        SealedRecord.recordKey(purpose, masterKey)
    }
}
