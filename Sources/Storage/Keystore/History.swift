internal import AtomicFiles
internal import Encodings
package import KeyWrapping
internal import SecureMemory

// Earlier encrypted backups of an identity at one of its places, one sealed record a file:
//
//   history/20261121T030000123Z-0123456789abcdef
//           time, UTC           first 8 bytes of the digest
//
//   offset  length  meaning of the record's content
//        0       1  version, 1
//        1       8  time in milliseconds since the epoch, big endian
//        9      32  digest, as the caller computes it
//       41       n  the backup
//
// The record has the key of the name "history", and its file name in its additional data.

/// The format of an entry of the history.
package enum History {
    static let directoryName = "history"
    static let purpose: RecordName = "history"
    static let version: UInt8 = 1
    static let digestCount = 32
    /// 2026-01-01 UTC. An earlier time of an entry is from a wrong clock.
    static let earliest: Int64 = 1_767_225_600_000
    static let prefixCount = 8
    private static let timeRange = 1..<9
    private static let digestRange = timeRange.upperBound..<timeRange.upperBound + digestCount
    private static let bytesOffset = digestRange.upperBound
    /// Length of a file without its backup, in bytes.
    static let overhead = SealedRecord.overhead + bytesOffset

    static func name(_ milliseconds: Int64, _ digest: [UInt8]) -> String {
        Timestamp(milliseconds: milliseconds).compact + "-" + Hex.encode(Array(digest.prefix(prefixCount)))
    }

    /// Parses the name of a file.
    /// - Returns: nil if `name` does not make this name.
    static func parse(_ name: String) -> (milliseconds: Int64, prefix: [UInt8])? {
        let parts = Array(name.utf8).split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count == 2, let time = Timestamp(compact: String(decoding: parts[0], as: UTF8.self)),
            let prefix = Hex.decode(String(decoding: parts[1], as: UTF8.self)), prefix.count == prefixCount,
            // Refuses upper-case digits.
            Self.name(time.milliseconds, prefix).utf8.elementsEqual(name.utf8)
        else { return nil }
        return (time.milliseconds, prefix)
    }

    /// Seals an entry under a given nonce.
    /// - Parameters:
    ///   - bytes: the backup.
    ///   - digest: 32 bytes.
    ///   - milliseconds: the time, since the epoch.
    ///   - key: the keystore's master key.
    ///   - nonce: 24 bytes, never used twice with one master key.
    /// - Returns: the name of the file, and its content: 85 bytes longer than `bytes`.
    package static func seal(
        _ bytes: [UInt8], digest: [UInt8], of owner: Owner, at place: PlaceName, milliseconds: Int64,
        key: borrowing MasterKey, nonce: [UInt8]
    ) -> (name: String, file: [UInt8]) {
        precondition(digest.count == digestCount)
        let name = name(milliseconds, digest)
        let time = (0..<8).map { UInt8(truncatingIfNeeded: milliseconds >> (56 - 8 * $0)) }
        let content = [version] + time + digest + bytes
        return (
            name,
            SealedRecord.seal(content.span, of: owner, purpose.at(place), fileName: name, key: key, nonce: nonce)
        )
    }

    /// - Returns: nil for another version.
    static func decode(_ content: Span<UInt8>) -> (digest: [UInt8], bytes: [UInt8])? {
        guard content.count >= bytesOffset, content[0] == version else { return nil }
        return (
            content.extracting(digestRange).revealBytes(), content.extracting(bytesOffset..<content.count).revealBytes()
        )
    }
}

/// An earlier backup, as its file name and length describe it.
public struct HistoryEntry: Equatable, Sendable {
    /// The file name, for `readHistory`.
    public let name: String
    /// When it was stored, in milliseconds since the epoch.
    public let milliseconds: Int64
    /// The first 8 bytes of its digest.
    public let digestPrefix: [UInt8]
    /// Length of the backup in bytes.
    public let count: Int

    /// Describes an entry. Reads no file.
    public init(name: String, milliseconds: Int64, digestPrefix: [UInt8], count: Int) {
        self.name = name
        self.milliseconds = milliseconds
        self.digestPrefix = digestPrefix
        self.count = count
    }
}

extension IdentityRecords {
    /// The earlier backups of a place, the newest first. Files whose name, kind or length is not that of an entry are
    /// skipped. Nothing is decrypted.
    public func history(of place: PlaceName) throws -> [HistoryEntry] {
        try steadily { records in
            try records.withHistory(of: place) { history in
                var entries: [HistoryEntry] = []
                for name in try history.names().reversed() {
                    guard let said = History.parse(name), let length = try? history.length(of: name),
                        length >= History.overhead
                    else { continue }
                    entries.append(
                        HistoryEntry(
                            name: name, milliseconds: said.milliseconds, digestPrefix: said.prefix,
                            count: length - History.overhead))
                }
                return entries
            } ?? []
        }
    }

    /// Decrypts an earlier backup.
    /// - Parameters:
    ///   - name: a name from `history`.
    ///   - place: the place of that `history`.
    /// - Throws: `FileError`, for example `.missing`; `KeystoreError.damaged` with the record name `history`.
    public func readHistory(_ name: String, of place: PlaceName) throws -> [UInt8] {
        try steadily { records in try records.historyContent(name, of: place).bytes }
    }

    func historyContent(_ name: String, of place: PlaceName) throws -> (digest: [UInt8], bytes: [UInt8]) {
        let read: SecureBytes?? = try withHistory(of: place) { history in
            guard History.parse(name) != nil else { return nil }
            return try history.read(name, limit: Self.maxRecordBytes)
        }
        guard let record = read ?? nil else {
            throw FileError.missing(path: directory.path + "/" + History.directoryName + "/" + name)
        }
        let content = try record.withBytes { (record) throws(KeystoreError) in
            try open(record, History.purpose.at(place), fileName: name)
        }
        guard let content = content.withBytes({ History.decode($0) }) else {
            throw KeystoreError.damaged(record: History.purpose.text, owner: owner)
        }
        return content
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
    /// stored once, with its last time.
    /// - Parameters:
    ///   - bytes: the backup, encrypted; up to about 16 MiB.
    ///   - digest: 32 bytes, different for different backups.
    ///   - place: the place of the backup.
    ///   - milliseconds: the time, since the epoch.
    /// - Throws: `FileError`, for example `.tooLarge`; then the history is unchanged.
    public func keepHistory(
        _ bytes: [UInt8], digest: [UInt8], of place: PlaceName, at milliseconds: Int64
    ) throws {
        precondition(digest.count == History.digestCount)
        guard bytes.count <= IdentityRecords.maxRecordBytes - History.overhead else {
            let name = History.name(milliseconds, digest)
            let path = records.directory.path + "/" + History.directoryName + "/" + name
            throw FileError.tooLarge(path: path, limit: IdentityRecords.maxRecordBytes - History.overhead)
        }
        let (name, file) = History.seal(
            bytes, digest: digest, of: records.owner, at: place, milliseconds: milliseconds,
            key: records.keystore.masterKey, nonce: SealedRecord.randomNonce())
        try records.making(place) { directory in
            try directory.makeDirectory(History.directoryName)
            try directory.directory(History.directoryName).write(name, file.span)
        }
        let prefix = Array(digest.prefix(History.prefixCount))
        for entry in try records.history(of: place) where entry.name != name && entry.digestPrefix == prefix {
            // An attacker can find another backup with the same prefix, but not with the same digest.
            guard let kept = try? records.historyContent(entry.name, of: place), kept.digest == digest else { continue }
            try remove(entry, of: place)
        }
    }

    /// Removes old entries of a place.
    /// - Parameters:
    ///   - place: the place.
    ///   - milliseconds: entries that were stored before this time are removed, in milliseconds since the epoch.
    ///     Entries from before 2026 stay, because their clock was wrong.
    ///   - count: this many of the newest entries stay, whatever their time.
    public func thinHistory(of place: PlaceName, olderThan milliseconds: Int64, keepingNewest count: Int) throws {
        for entry in try records.history(of: place).dropFirst(count)
        where History.earliest <= entry.milliseconds && entry.milliseconds < milliseconds {
            try remove(entry, of: place)
        }
    }

    private func remove(_ entry: HistoryEntry, of place: PlaceName) throws {
        _ = try records.withHistory(of: place) { try $0.remove(entry.name) }
    }
}
