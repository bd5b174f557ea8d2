internal import AtomicFiles
internal import Encodings
package import KeyWrapping
public import SecureMemory

// Earlier encrypted backups of an identity at one of its places, one sealed record a file:
//
//   history/20261121T030000123Z-0123456789abcdef-mirrored
//           time, UTC           first 8 bytes    origin
//                               of the digest
//
//   offset  length  meaning of the record's content
//        0       1  version, 2
//        1       8  time in milliseconds since the epoch, big endian
//        9      32  digest, as the caller computes it
//       41      64  the secret that opens the backup
//      105       n  the backup
//
// Version 1 had no secret and no origin in its name; its backups were replaced or deleted. The record has the key of
// the name "history", and its file name in its additional data.

/// The format of an entry of the history.
package enum History {
    static let directoryName = "history"
    static let purpose: RecordName = "history"
    static let version: UInt8 = 2
    static let digestCount = 32
    /// Length of the secret that opens a backup, in bytes.
    package static let secretCount = 64
    static let prefixCount = 8
    /// Length of the time in a name, in bytes.
    private static let timeCount = "20261121T030000123Z".utf8.count
    private static let timeRange = 1..<9
    private static let digestRange = timeRange.upperBound..<timeRange.upperBound + digestCount
    private static let secretRange = digestRange.upperBound..<digestRange.upperBound + secretCount
    /// Length of a file without its backup, in bytes.
    static let overhead = SealedRecord.overhead + secretRange.upperBound
    private static let overheadOfVersion1 = SealedRecord.overhead + digestRange.upperBound

    static func name(_ milliseconds: Int64, _ digest: [UInt8], _ origin: HistoryEntry.Origin) -> String {
        nameOfVersion1(milliseconds, Array(digest.prefix(prefixCount))) + "-" + origin.rawValue
    }

    private static func nameOfVersion1(_ milliseconds: Int64, _ prefix: [UInt8]) -> String {
        Timestamp(milliseconds: milliseconds).compact + "-" + Hex.encode(prefix)
    }

    /// Describes a file by its name and length.
    /// - Returns: nil for another name than `name` or version 1 makes. A file that was cut short is an entry, too: one
    ///   that does not open.
    static func entry(_ name: String, length: Int) -> HistoryEntry? {
        let parts = name.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false).map {
            String(Substring($0))
        }
        guard 2...3 ~= parts.count, let time = Timestamp(compact: parts[0]), let prefix = Hex.decode(parts[1]),
            prefix.count == prefixCount
        else { return nil }
        let isVersion1 = parts.count == 2
        guard let origin = isVersion1 ? .replaced : HistoryEntry.Origin(rawValue: parts[2]) else { return nil }
        let overhead = isVersion1 ? overheadOfVersion1 : overhead
        // Refuses upper-case digits. A time and an origin have one text only.
        guard Hex.encode(prefix) == parts[1] else { return nil }
        return HistoryEntry(
            name: name, milliseconds: time.milliseconds, digestPrefix: prefix, origin: origin,
            count: max(0, length - overhead))
    }

    /// Whether an entry of this name can have a digest that begins with these bytes. The rest of the name is not
    /// looked at.
    /// - Parameter digits: the hexadecimal digits of the 8 bytes.
    static func isNamed(_ name: String, _ digits: String) -> Bool {
        name.utf8.dropFirst(timeCount + 1).starts(with: digits.utf8)
    }

    /// Seals an entry under a given nonce.
    /// - Parameters:
    ///   - backup: the encrypted backup, with its digest (32 bytes) and the secret that opens it (64 bytes).
    ///   - milliseconds: the time, since the epoch.
    ///   - key: the keystore's master key.
    ///   - nonce: 24 bytes, never used twice with one master key.
    /// - Returns: the name of the file, and its content: 149 bytes longer than the backup.
    package static func seal(
        _ backup: borrowing HistoryBackup, origin: HistoryEntry.Origin, of owner: Owner, at place: PlaceName,
        milliseconds: Int64, key: borrowing MasterKey, nonce: [UInt8]
    ) -> (name: String, file: [UInt8]) {
        let name = name(milliseconds, backup.digest, origin)
        var content = SecureBuffer(capacity: secretRange.upperBound + backup.bytes.count)
        content.append(version)
        for shift in stride(from: 56, through: 0, by: -8) {
            content.append(UInt8(truncatingIfNeeded: milliseconds >> shift))
        }
        content.append(backup.digest.span)
        backup.secret.withBytes { content.append($0) }
        content.append(backup.bytes.span)
        let file = content.finish().withBytes { content in
            SealedRecord.seal(content, of: owner, purpose.at(place), fileName: name, key: key, nonce: nonce)
        }
        return (name, file)
    }

    /// - Returns: nil for another version.
    static func decode(_ content: Span<UInt8>) -> HistoryBackup? {
        guard content.count >= digestRange.upperBound, 1...version ~= content[0] else { return nil }
        let isVersion1 = content[0] == 1
        let start = isVersion1 ? digestRange.upperBound : secretRange.upperBound
        guard content.count >= start else { return nil }
        return HistoryBackup(
            content.extracting(start..<content.count).revealBytes(),
            digest: content.extracting(digestRange).revealBytes(),
            secret: SecureBytes(copying: content.extracting(isVersion1 ? 0..<0 : secretRange)))
    }
}

/// An earlier backup with the secret that opens it.
public struct HistoryBackup: ~Copyable {
    /// The encrypted backup, as it was on its server.
    public let bytes: [UInt8]
    /// 32 bytes, different for different backups.
    public let digest: [UInt8]
    /// The secret that opens it, 64 bytes; empty in an entry of version 1.
    public let secret: SecureBytes

    /// - Parameters:
    ///   - bytes: the encrypted backup.
    ///   - digest: 32 bytes, different for different backups.
    ///   - secret: 64 bytes, which the keystore stores with the backup and does not use.
    public init(_ bytes: [UInt8], digest: [UInt8], secret: consuming SecureBytes) {
        precondition(digest.count == History.digestCount)
        self.bytes = bytes
        self.digest = digest
        self.secret = secret
    }
}

/// An earlier backup, as its file name and length describe it.
public struct HistoryEntry: Equatable, Sendable {
    /// Why a backup is in the history.
    public enum Origin: String, Sendable {
        /// It was replaced or deleted on its server by this keystore, or is a profile that a pull replaced here.
        case replaced
        /// It was fetched from its server in order to be stored.
        case mirrored
        /// First `mirrored`, then `replaced`.
        case both
    }

    /// The file name, for `readHistory`.
    public let name: String
    /// When it was stored, in milliseconds since the epoch.
    public let milliseconds: Int64
    /// The first 8 bytes of its digest.
    public let digestPrefix: [UInt8]
    /// Whether this keystore has replaced the backup, or has fetched it, or both.
    public let origin: Origin
    /// Length of the backup in bytes.
    public let count: Int

    /// Describes an entry. Reads no file.
    public init(name: String, milliseconds: Int64, digestPrefix: [UInt8], origin: Origin = .replaced, count: Int) {
        self.name = name
        self.milliseconds = milliseconds
        self.digestPrefix = digestPrefix
        self.origin = origin
        self.count = count
    }
}
