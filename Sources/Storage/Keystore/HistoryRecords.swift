internal import AtomicFiles
internal import Encodings
internal import SecureMemory

// Reading and writing the history of a place. History.swift has the format.

extension IdentityRecords {
    /// The earlier backups of a place, the newest first. Files whose name or kind is not that of an entry are skipped.
    /// An entry whose file was cut short is among them and does not open. Nothing is decrypted.
    public func history(of place: PlaceName) throws -> [HistoryEntry] {
        try history(of: place) { _ in true }
    }

    /// - Parameters:
    ///   - isLikely: gets a name before it is parsed, which takes longer than to list it.
    ///   - isWanted: gets an entry before its length is looked up, so its `count` says nothing.
    func history(
        of place: PlaceName, named isLikely: (String) -> Bool = { _ in true }, where isWanted: (HistoryEntry) -> Bool
    ) throws -> [HistoryEntry] {
        try withHistory(of: place) { history in
            var entries: [HistoryEntry] = []
            for name in try history.names().reversed() {
                guard isLikely(name), let named = History.entry(name, length: .max), isWanted(named),
                    let length = try? history.length(of: name), let entry = History.entry(name, length: length)
                else { continue }
                entries.append(entry)
            }
            return entries
        } ?? []
    }

    /// Decrypts an earlier backup.
    /// - Parameters:
    ///   - name: a name from `history`.
    ///   - place: the place of that `history`.
    /// - Throws: `FileError`, for example `.missing`; `KeystoreError.damaged` with the record name `history`.
    public func readHistory(_ name: String, of place: PlaceName) throws -> HistoryBackup {
        let read: SecureBytes?? = try withHistory(of: place) { history in
            guard History.entry(name, length: .max) != nil else { return nil }
            return try history.read(name, limit: Self.maxRecordBytes)
        }
        guard let record = read ?? nil else {
            throw FileError.missing(path: directory.path + "/" + History.directoryName + "/" + name)
        }
        let content = try record.withBytes { (record) throws(KeystoreError) in
            try open(record, History.purpose.at(place), fileName: name)
        }
        guard let backup = content.withBytes({ History.decode($0) }) else {
            throw KeystoreError.damaged(record: History.purpose.text, owner: owner)
        }
        return backup
    }

    /// Lends the directory of a place's history.
    /// - Returns: nil without calling `body` if the place has no history.
    func withHistory<Result: ~Copyable>(
        of place: PlaceName, _ body: (borrowing Directory) throws -> Result
    ) throws -> Result? {
        try within(place) { directory in
            guard let history = try directory.directoryIfPresent(History.directoryName) else { return nil }
            return try body(history)
        } ?? nil
    }
}

extension LockedIdentity {
    /// Stores a backup in the history of a place. It replaces an entry of the same digest, so that each backup is
    /// stored once, with its last time and with both origins if it has them.
    /// - Parameters:
    ///   - backup: up to about 16 MiB.
    ///   - place: the place of the backup.
    ///   - milliseconds: the time, since the epoch.
    /// - Throws: `FileError`, for example `.tooLarge`; then the history is unchanged.
    public func keepHistory(
        _ backup: borrowing HistoryBackup, origin: HistoryEntry.Origin, of place: PlaceName, at milliseconds: Int64
    ) throws {
        let same = try entries(of: backup.digest, at: place)
        let origins = Set(same.map(\.origin) + [origin])
        let origin = origins.count == 1 ? origin : .both
        guard backup.bytes.count <= IdentityRecords.maxRecordBytes - History.overhead else {
            let name = History.name(milliseconds, backup.digest, origin)
            let path = records.directory.path + "/" + History.directoryName + "/" + name
            throw FileError.tooLarge(path: path, limit: IdentityRecords.maxRecordBytes - History.overhead)
        }
        let (name, file) = History.seal(
            backup, origin: origin, of: records.owner, at: place, milliseconds: milliseconds,
            key: records.keystore.masterKey, nonce: SealedRecord.randomNonce())
        try records.making(place) { directory in
            try directory.makeDirectory(History.directoryName)
            try directory.directory(History.directoryName).write(name, file.span)
        }
        for entry in same where entry.name != name { try removeHistory(entry.name, of: place) }
    }

    /// Whether the history has a mirrored backup of this digest, and it opens.
    /// - Parameter digest: 32 bytes.
    public func holdsMirrored(_ digest: [UInt8], of place: PlaceName) throws -> Bool {
        try entries(of: digest, at: place).contains { $0.origin != .replaced }
    }

    /// The entries of a digest. An attacker can find another backup with the same prefix, but not with the same digest.
    private func entries(of digest: [UInt8], at place: PlaceName) throws -> [HistoryEntry] {
        let prefix = Array(digest.prefix(History.prefixCount))
        let digits = Hex.encode(prefix)
        return try records.history(
            of: place, named: { History.isNamed($0, digits) }, where: { $0.digestPrefix == prefix }
        ).filter { entry in
            guard let held = try? records.readHistory(entry.name, of: place) else { return false }
            return held.digest == digest
        }
    }

    /// Removes one entry of a place's history.
    /// - Parameter name: a name from `history`.
    public func removeHistory(_ name: String, of place: PlaceName) throws {
        _ = try records.withHistory(of: place) { try $0.remove(name) }
    }
}
