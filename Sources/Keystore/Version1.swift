public import AtomicFiles
internal import KeyWrapping
internal import SecureMemory

// Version 1 of the keystore, which knew one messenger and one place. It is read, and converted by the first command that
// holds the key and may write. When no such keystore is left, this file can go, and `FolderVersion` with it.
//
//     DIR/identities/ID/     ID: 8 of A-Z, 0-9 and *
//       NAME                 record: "KTR1" ‖ nonce ‖ XChaCha20-Poly1305; additional data: "KTR1" ‖ ID ‖ file name
//       safe state.json history/
//                            what belongs to the place "main" now
//       commit               "KTC1" ‖ digest over "KTC1" ‖ ID (8 bytes) ‖ changes
//       lock
//     DIR/keystore           version 1 (1 byte), keystore id (16 bytes); "********" stands for the ID
//
// An identity is converted under its own lock: `threema/.ID.new` is filled and renamed, then `identities/ID` goes. Where
// both exist, the new one counts. The record `keystore` is rewritten last; from then on nothing of version 1 is read:
// what is found later was put there by somebody.

/// In which version the folder of an identity is.
enum FolderVersion {
    case version1
    case version2
}

enum Version1 {
    static let messenger = "threema"
    static let byte: UInt8 = 1
    fileprivate static let recordMagic = Array("KTR1".utf8)
    /// Stands for the ID in the keystore's own record.
    fileprivate static let ownID = "********"
    fileprivate static let idCount = 8
    /// Records that belong to the place `main` now.
    fileprivate static let recordsOfPlace = ["safe"]
    /// How long opening a keystore waits for an identity that another process holds.
    fileprivate static let wait = Duration.seconds(1)

    /// - Parameter name: of a folder in `identities`.
    /// - Returns: nil for a name that is no ID of version 1.
    static func owner(_ name: String) -> Owner? {
        guard name.utf8.count == idCount, !name.utf8.contains(where: { (97...122).contains($0) }) else { return nil }
        return Owner(messenger: messenger, id: name)
    }

    /// Where a record stands in version 2.
    fileprivate static func place(of name: String) -> PlaceName? { recordsOfPlace.contains(name) ? .main : nil }
}

extension SealedRecord {
    /// - Parameter owner: nil for the keystore's own.
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
    /// - Parameter text: as a commit file of version 1 names a file.
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
    /// The owners whose folders are of version 1, in byte order.
    static func ownersOfVersion1(in folder: borrowing Folder) throws(FileError) -> [Owner] {
        guard let identities = try folder.folderIfPresent(identitiesName) else { return [] }
        return try identities.names().compactMap(Version1.owner)
    }
}

extension IdentityRecords {
    /// Runs what reads. If another process converts the identity meanwhile, what was converted is read.
    func steadily<Value: ~Copyable>(_ body: (borrowing IdentityRecords) throws -> Value) throws -> Value {
        guard version == .version1 else { return try body(self) }
        let result: Result<Value, any Error>
        do { result = .success(try body(self)) } catch { result = .failure(error) }
        guard try keystore.isOfVersion1(owner) else { return try body(keystore.identity(owner)) }
        return try result.get()
    }
}

extension OpenKeystore {
    /// What a keystore of version 2 holds of version 1: it was put there after the conversion, and is not read. In a
    /// keystore of version 1, nothing.
    public func unreadOwners() throws(FileError) -> [Owner] {
        isVersion1 ? [] : try LockedKeystore.ownersOfVersion1(in: locked.folder)
    }

    func isOfVersion1(_ owner: Owner) throws(FileError) -> Bool {
        try LockedKeystore.ownersOfVersion1(in: locked.folder).contains(owner)
    }

    /// Converts a keystore of version 1, as far as it can be written and no other process is at work in it. What cannot
    /// be converted now is read as it is, and converted before it is changed.
    public func convertVersion1() {
        guard isVersion1, let owners = try? LockedKeystore.ownersOfVersion1(in: locked.folder) else { return }
        for owner in owners {
            do {
                _ = try lockedIdentity(owner, wait: Version1.wait)
                if try isOfVersion1(owner) { try removeVersion1(of: owner) }
            } catch FileError.system {
                // A keystore that cannot be written: neither can its other identities.
                return
            } catch {
                continue
            }
        }
        try? finishConversion()
    }

    /// Converts an identity of version 1, and returns it as one of version 2, locked.
    func converted(_ old: consuming LockedIdentity, wait: Duration) throws -> LockedIdentity {
        guard old.records.version == .version1 else { return old }
        let owner = old.records.owner
        try convert(old.records)
        _ = consume old
        return try lockedIdentity(owner, wait: wait)
    }

    /// - Parameter old: of version 1, under its lock, without an unfinished commit.
    private func convert(_ old: borrowing IdentityRecords) throws {
        let lock = try locked.folder.lock(LockedKeystore.lockName, wait: LockedKeystore.lockWait)
        let identities = try locked.folder.folder(LockedKeystore.identitiesName)
        try identities.makeFolder(Version1.messenger)
        try fill(old.owner, in: identities.folder(Version1.messenger)) { new in try copy(old, to: new.records) }
        // Best effort: it does not count any more, and the next command that opens the keystore removes it.
        try? remove(old.owner.id, from: identities)
        _ = consume lock
    }

    /// Removes a folder that was converted, by a process that died before it could do that.
    private func removeVersion1(of owner: Owner) throws {
        let identities = try locked.folder.folder(LockedKeystore.identitiesName)
        let held = try identities.folder(owner.id).lock(LockedKeystore.lockName, wait: .zero)
        let lock = try locked.folder.lock(LockedKeystore.lockName, wait: .zero)
        try remove(owner.id, from: identities)
        _ = consume lock
        _ = consume held
    }

    private func copy(_ old: borrowing IdentityRecords, to new: borrowing IdentityRecords) throws {
        for name in try old.folder.names() where name != LockedKeystore.lockName {
            switch name {
            case History.folderName: try copyHistory(old, to: new)
            case RecordFile.stateName:
                guard let state = try old.readState(of: .main) else { continue }
                try state.withBytes { try new.put(.state(of: .main), $0) }
            default:
                let content = try old.folder.read(name, limit: IdentityRecords.maxRecordBytes)
                try content.withBytes { content in
                    guard let record = RecordName(Array(name.utf8)).map({ $0.at(Version1.place(of: name)) }) else {
                        // Not ours: it is taken along as it is.
                        return try new.folder.write(name, content)
                    }
                    try copy(content, as: record, fileName: nil, from: old) {
                        try new.put(RecordFile(record), $0.span)
                    }
                }
            }
        }
        let lock = try new.folder.lock(LockedKeystore.lockName, wait: .zero)
        if let time = try old.folder.modificationTime(of: LockedKeystore.lockName) {
            lock.setModificationTime(milliseconds: time)
        }
    }

    private func copyHistory(_ old: borrowing IdentityRecords, to new: borrowing IdentityRecords) throws {
        let from = try old.folder.folder(History.folderName)
        try new.making(.main) { place in
            try place.makeFolder(History.folderName)
            let to = try place.folder(History.folderName)
            for name in try from.names() {
                let content = try from.read(name, limit: IdentityRecords.maxRecordBytes)
                try content.withBytes { content in
                    try copy(content, as: History.purpose.at(.main), fileName: name, from: old) {
                        try to.write(name, $0.span)
                    }
                }
            }
        }
    }

    /// Seals a record again, as one of version 2. One that is damaged is taken along as it is, and stays damaged.
    private func copy(
        _ content: Span<UInt8>, as name: RecordName, fileName: String?, from old: borrowing IdentityRecords,
        _ write: ([UInt8]) throws -> Void
    ) throws {
        guard let plain = try? old.open(content, name, fileName: fileName) else {
            return try write(content.indices.map { content[$0] })
        }
        try write(
            plain.withBytes { plain in
                SealedRecord.seal(plain, of: old.owner, name, fileName: fileName, key: masterKey)
            })
    }

    /// Writes the record `keystore` as one of version 2, if nothing of version 1 is left.
    private func finishConversion() throws {
        let lock = try locked.folder.lock(LockedKeystore.lockName, wait: .zero)
        guard try LockedKeystore.ownersOfVersion1(in: locked.folder).isEmpty,
            try locked.prove(masterKey) == Version1.byte
        else { return }
        let oldName = try locked.keyringName()
        let keystoreID = try locked.keystoreID(masterKey)
        let record = SealedRecord.seal(
            ([LockedKeystore.version] + keystoreID).span, of: nil, LockedKeystore.recordName, key: masterKey)
        // The key in the kernel's keyring is named by this file. The new name comes first, so that no command in between
        // asks for the passphrase.
        let seconds = KernelKeyring.secondsLeft(oldName)
        if let seconds {
            try? KernelKeyring.keep(masterKey.bytes, as: LockedKeystore.keyringName(record.span), seconds: seconds)
        }
        try locked.folder.write(LockedKeystore.recordName.text, record.span)
        _ = try? KernelKeyring.remove(oldName)
        _ = consume lock
    }
}
