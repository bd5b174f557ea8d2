package import AtomicFiles
internal import Glibc
internal import KeyWrapping
internal import SecureMemory

// Version 1 of the keystore, which knew one messenger and one place. It is read, and converted by the first command
// that holds the key and may write. When no such keystore is left, this file can go, and `DirectoryVersion` with it.
//
//     DIR/identities/ID/     ID: 8 of A-Z, 0-9 and *
//       NAME                 record: "KTR1" ‖ nonce ‖ XChaCha20-Poly1305; additional data: "KTR1" ‖ ID ‖ file name
//       safe state.json history/
//                            what belongs to the place "main" now
//       commit               "KTC1" ‖ digest over "KTC1" ‖ ID (8 bytes) ‖ changes
//       lock
//     DIR/keystore           version 1 (1 byte), keystore id (16 bytes); "********" stands for the ID
//
// An identity is converted under its own lock: `threema/.ID.new` is filled and renamed, then `identities/ID` goes, but
// only if it holds nothing that the new one does not. Where both exist, the new one counts. The record `keystore` is
// rewritten last; from then on nothing of version 1 is read: what is found then was put there by somebody, or changed
// by an earlier program after it was converted.

/// The version of an identity's directory.
enum DirectoryVersion {
    case version1
    case version2
}

enum Version1 {
    static let messenger = "threema"
    static let byte: UInt8 = 1
    fileprivate static let recordMagic = Array("KTR1".utf8)
    /// In place of the ID in the keystore's own record.
    fileprivate static let ownID = "********"
    private static let idCount = 8
    private static let idCharacters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789*".utf8)
    /// Records that belong to the place `main` in version 2.
    private static let recordsOfPlace = ["safe"]
    /// How long the conversion waits for the lock of an identity.
    fileprivate static let wait = Duration.seconds(1)

    /// - Parameter name: the name of a directory in `identities`.
    /// - Returns: nil if the name is not an ID of version 1.
    static func owner(_ name: String) -> Owner? {
        guard name.utf8.count == idCount, name.utf8.allSatisfy(idCharacters.contains) else { return nil }
        return Owner(messenger: messenger, id: name)
    }

    /// The place of a record in version 2.
    static func place(of name: String) -> PlaceName? { recordsOfPlace.contains(name) ? .main : nil }
}

extension SealedRecord {
    /// - Parameter owner: nil for the keystore's own record.
    static func openVersion1(
        _ record: Span<UInt8>, of owner: Owner?, _ name: RecordName, fileName: String? = nil,
        key: borrowing MasterKey
    ) throws(KeystoreError) -> SecureBytes {
        guard hasPrefix(Version1.recordMagic, record) else { throw .damaged(record: name.text, owner: owner) }
        let text = (owner?.id ?? Version1.ownID) + (fileName ?? name.text)
        return try open(record, of: owner, name, additionalData: Version1.recordMagic + Array(text.utf8), key: key)
    }

    static func isSealedInVersion1(_ record: Span<UInt8>) -> Bool { hasPrefix(Version1.recordMagic, record) }
}

extension RecordCommit {
    static let magicOfVersion1 = Array("KTC1".utf8)
}

extension RecordFile {
    /// - Parameter text: the name of a file in a commit file of version 1.
    init?(textOfVersion1 text: [UInt8]) {
        let name = String(decoding: text, as: UTF8.self)
        if name == Self.stateName {
            self = .state(of: .main)
        } else {
            guard RecordName.isRecordName(text), name != RecordCommit.fileName else { return nil }
            self.init(Version1.place(of: name), name)
        }
    }
}

extension LockedKeystore {
    /// The owners whose directories are of version 1, in byte order.
    static func ownersOfVersion1(in directory: borrowing Directory) throws(FileError) -> [Owner] {
        guard let identities = try directory.directoryIfPresent(identitiesName) else { return [] }
        return try identities.names().compactMap(Version1.owner)
    }
}

extension IdentityRecords {
    /// Runs a function that reads. If another process converts the identity meanwhile, it runs again with the converted
    /// records.
    func steadily<Value: ~Copyable>(_ body: (borrowing IdentityRecords) throws -> Value) throws -> Value {
        guard version == .version1 else { return try body(self) }
        let result: Result<Value, any Error>
        do { result = .success(try body(self)) } catch { result = .failure(error) }
        guard try keystore.version(of: owner) == .version1 else { return try body(keystore.identity(owner)) }
        return try result.get()
    }
}

extension OpenKeystore {
    /// The owners whose directories are of version 1 in a keystore of version 2. They are not read. Empty for a
    /// keystore of version 1.
    package func unreadOwners() throws(FileError) -> [Owner] {
        isVersion1 ? [] : try LockedKeystore.ownersOfVersion1(in: locked.directory)
    }

    /// Converts a keystore of version 1. Identities that another process holds, or that cannot be written, are read in
    /// version 1 and converted before they are changed. Best effort; errors are ignored.
    package func convertVersion1() {
        guard isVersion1, let owners = try? LockedKeystore.ownersOfVersion1(in: locked.directory) else { return }
        for owner in owners {
            do {
                _ = try lockedIdentity(owner, wait: Version1.wait)
                try removeLeftover(of: owner)
            } catch FileError.system(_, _, EROFS) {
                return
            } catch {
                // The command that changes this identity reports the error.
                continue
            }
        }
        try? finishConversion()
    }

    /// Converts an identity of version 1.
    /// - Returns: the locked identity in version 2.
    func converted(_ old: consuming LockedIdentity, wait: Duration) throws -> LockedIdentity {
        guard old.records.version == .version1 else { return old }
        let owner = old.records.owner
        try convert(old.records, wait: wait)
        _ = consume old
        return try lockedIdentity(owner, wait: wait)
    }

    /// - Parameter old: records of version 1, locked and without an unfinished commit.
    /// - Throws: `KeystoreError.damaged` if none of its records opens, for example because it is a copy under another
    ///   name.
    private func convert(_ old: borrowing IdentityRecords, wait: Duration) throws {
        let lock = try locked.lock(wait: wait)
        // Another process may have replaced the master key of an empty keystore.
        try locked.prove(masterKey)
        let files = try old.filesOfVersion1()
        guard files.contains(where: { (try? old.content(of: $0)) != nil }) else {
            throw KeystoreError.damaged(record: "identity", owner: old.owner)
        }
        let identities = try locked.directory.directory(LockedKeystore.identitiesName)
        try identities.makeDirectory(Version1.messenger)
        // The new identity stays locked until the old one is removed.
        let newLock = try fill(old.owner, in: identities.directory(Version1.messenger)) { new -> FileLock in
            for file in files { try old.copy(file, to: new.records) }
            let newLock = try new.records.directory.lock(LockedKeystore.lockName, wait: Version1.wait)
            if let time = try old.directory.modificationTime(of: LockedKeystore.lockName) {
                newLock.setModificationTime(milliseconds: time)
            }
            return newLock
        }
        try removeIfCopied(old, from: identities)
        _ = consume newLock
        _ = consume lock
    }

    /// Removes the old directory of an identity that a process converted before it died.
    private func removeLeftover(of owner: Owner) throws {
        guard try LockedKeystore.ownersOfVersion1(in: locked.directory).contains(owner) else { return }
        let identities = try locked.directory.directory(LockedKeystore.identitiesName)
        let old = IdentityRecords(
            owner: owner, directory: try identities.directory(owner.id), version: .version1, keystore: self)
        let held = try old.directory.lock(LockedKeystore.lockName, wait: Version1.wait)
        let lock = try locked.lock(wait: Version1.wait)
        try old.finishCommit()
        try removeIfCopied(old, from: identities)
        _ = consume lock
        _ = consume held
    }

    /// Removes the directory of version 1 of an identity that is being removed. The caller holds the keystore's lock.
    /// - Throws: `FileError`, for example `.locked` if an earlier program is using it.
    func removeVersion1(of owner: Owner) throws {
        guard try version(of: owner) == .version2,
            try LockedKeystore.ownersOfVersion1(in: locked.directory).contains(owner)
        else { return }
        let identities = try locked.directory.directory(LockedKeystore.identitiesName)
        let held = try identities.directory(owner.id).lock(LockedKeystore.lockName, wait: Version1.wait)
        try remove(owner.id, from: identities)
        _ = consume held
    }

    /// Removes a directory of version 1 if the directory of version 2 has the same contents. If an earlier program has
    /// changed it since the conversion, or if it was restored, it stays and is not read.
    ///
    /// Best effort; errors are ignored. A directory that is removed in part has a temporary name and is swept later.
    /// - Parameter old: its records. The caller holds their lock and that of the keystore.
    private func removeIfCopied(_ old: borrowing IdentityRecords, from identities: borrowing Directory) throws {
        guard try version(of: old.owner) == .version2, try identities.holds(old.directory, as: old.owner.id) else {
            return
        }
        let new = try identity(old.owner)
        for file in try old.filesOfVersion1() {
            guard try old.isCopied(file, to: new) else { return }
        }
        try? remove(old.owner.id, from: identities)
    }

    /// Writes the record `keystore` in version 2, if every identity is converted.
    private func finishConversion() throws {
        let lock = try locked.lock(wait: Version1.wait)
        for owner in try LockedKeystore.ownersOfVersion1(in: locked.directory) {
            guard try version(of: owner) == .version2 else { return }
        }
        guard try locked.prove(masterKey) == Version1.byte else { return }
        let oldName = try locked.keyringName()
        let record = LockedKeystore.ownRecord(
            id: try locked.keystoreID(masterKey), key: masterKey, nonce: SealedRecord.randomNonce())
        // The key in the kernel's keyring is named after this record, so it is moved with the rest of its time. If that
        // time is not known, the conversion ends after the key has expired.
        let newName = LockedKeystore.keyringName(record.span)
        if KernelKeyring.find(oldName) != nil {
            guard let seconds = KernelKeyring.secondsLeft(oldName) else { return }
            // First the new name, so that no command in between asks for the passphrase.
            try? KernelKeyring.keep(masterKey.bytes, as: newName, seconds: seconds)
        }
        let result = Result { try locked.directory.write(LockedKeystore.recordName.text, record.span) }
        for name in [oldName, newName] where (try? locked.keyringName()) != name { _ = try? KernelKeyring.remove(name) }
        try result.get()
        _ = consume lock
    }
}

/// A file of version 1: its name, its place in version 2, and the record that it is; nil if it is not sealed.
private struct OldFile {
    let name: String
    let place: PlaceName?
    let record: RecordName?

    static let historyEntry = History.purpose.at(.main)
    var isHistory: Bool { record == Self.historyEntry }
}

extension IdentityRecords {
    /// All files of a directory of version 1 except the lock, including hidden ones.
    /// - Throws: `FileError` if it contains a directory, a link, or anything else that is not a plain file.
    fileprivate func filesOfVersion1() throws -> [OldFile] {
        var files: [OldFile] = []
        for name in try directory.everyName() where name != LockedKeystore.lockName && name != RecordCommit.fileName {
            if name == History.directoryName {
                for name in try directory.directory(name).everyName() {
                    files.append(OldFile(name: name, place: .main, record: OldFile.historyEntry))
                }
            } else if name == RecordFile.stateName {
                files.append(OldFile(name: name, place: .main, record: nil))
            } else {
                try directory.requirePlainFile(name)
                let place = Version1.place(of: name)
                files.append(
                    OldFile(name: name, place: place, record: RecordName(Array(name.utf8)).map { $0.at(place) }))
            }
        }
        return files
    }

    /// The bytes of a file; nil if it does not exist.
    private func bytes(of file: OldFile) throws -> SecureBytes? {
        try within(file.place) { (directory) throws -> SecureBytes? in
            guard file.isHistory else { return try directory.readIfPresent(file.name, limit: Self.maxRecordBytes) }
            guard let history = try directory.directoryIfPresent(History.directoryName) else { return nil }
            return try history.readIfPresent(file.name, limit: Self.maxRecordBytes)
        } ?? nil
    }

    /// Decrypts a sealed file.
    /// - Throws: `KeystoreError.damaged`, also for a file that is not sealed.
    fileprivate func content(of file: OldFile) throws -> SecureBytes {
        guard let record = file.record, let bytes = try bytes(of: file) else {
            throw KeystoreError.damaged(record: file.name, owner: owner)
        }
        return try bytes.withBytes { (bytes) throws(KeystoreError) in try open(bytes, record, fileName: file.name) }
    }

    /// Seals a record again in version 2. A damaged record is copied unchanged and stays damaged. Other files are
    /// copied unchanged, too.
    fileprivate func copy(_ file: OldFile, to new: borrowing IdentityRecords) throws {
        let content = try resealed(file)
        guard file.isHistory else { return try new.put(RecordFile(file.place, file.name), content.span) }
        try new.making(file.place) { place in
            try place.makeDirectory(History.directoryName)
            try place.directory(History.directoryName).write(file.name, content.span)
        }
    }

    private func resealed(_ file: OldFile) throws -> [UInt8] {
        if let record = file.record, let content = try? content(of: file) {
            return content.withBytes { seal($0, record, fileName: file.name) }
        }
        guard let bytes = try bytes(of: file) else { throw FileError.missing(path: directory.path + "/" + file.name) }
        return bytes.revealBytes()
    }

    /// Whether the new directory has a file of the same content.
    fileprivate func isCopied(_ file: OldFile, to new: borrowing IdentityRecords) throws -> Bool {
        if let ours = try? content(of: file) {
            guard let theirs = try? new.content(of: file) else { return false }
            return ours.withBytes { ours in theirs.withBytes { ConstantTime.areEqual(ours, $0) } }
        }
        guard let ours = try bytes(of: file), let theirs = try new.bytes(of: file) else { return false }
        return ours.withBytes { ours in theirs.withBytes { ConstantTime.areEqual(ours, $0) } }
    }
}
