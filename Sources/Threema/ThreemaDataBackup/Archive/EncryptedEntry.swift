// A local header (APPNOTE 4.3.7), in front of the data of each entry:
//
//   offset  length  meaning
//        0       4  50 4b 03 04
//        4       2  version; not read
//        6       2  flags, method, name: as in the directory
//        8       2  method
//       10       4  time; not read
//       14      12  CRC-32 and lengths; the app writes 0, and only the directory has them
//       26       2  length of the name (n)
//       28       2  length of the extra fields (m)
//       30       n  name
//     30+n       m  extra fields, the AES field among them

/// An entry that is to be read: encrypted with AES-256, and in a place of its own.
struct EncryptedEntry: Equatable {
    /// Salt (16), password check (2) and tag (10) around the ciphertext, in bytes.
    static let overhead = 28

    let name: String
    /// The compressed content has this method: 0 stored, 8 deflate.
    let method: Int
    /// 1 or 2; version 1 has a CRC-32 besides the tag.
    let version: Int
    let checksum: Int
    /// Length of the content in bytes.
    let contentCount: Int
    /// From the local header to the end of the data.
    let range: Range<Int>
    /// Offset of the data.
    let dataOffset: Int

    /// The data: salt, password check, ciphertext, tag.
    var data: Range<Int> { dataOffset..<range.upperBound }

    private static let headerCount = 30
    private static let methodAES = 99

    /// Checks what the directory says, and that the local header says the same.
    /// - Parameters:
    ///   - limit: longest content in bytes.
    ///   - directory: offset of the directory, in front of which the data has to end.
    /// - Throws: `.notEncrypted`, `.otherMethod`, `.entryTooLong`, `.damagedEntry`, `.damaged(.header)`.
    init(_ entry: DirectoryEntry, limit: Int, in source: ArchiveSource, before directory: Int) throws(DataBackupError) {
        name = String(decoding: entry.name, as: UTF8.self)
        guard entry.flags & 1 != 0 else { throw .notEncrypted(entry: name) }
        guard entry.flags & (1 << 6 | 1 << 13) == 0, entry.method == Self.methodAES, let fields = entry.encryption,
            fields.count == 7, fields[2...3].elementsEqual("AE".utf8), fields[4] == 3,
            [1, 2].contains(fields.number16(at: 0)), [0, 8].contains(fields.number16(at: 5))
        else { throw .otherMethod(entry: name) }
        (version, method) = (fields.number16(at: 0), fields.number16(at: 5))
        (checksum, contentCount) = (entry.checksum, entry.contentCount)
        guard entry.contentCount <= limit else { throw .entryTooLong(entry: name, limit: limit) }
        // Deflate needs a few bytes more for content that does not compress.
        guard entry.dataCount <= limit + limit / 64 + 1024 else { throw .entryTooLong(entry: name, limit: limit) }
        guard entry.dataCount >= Self.overhead,
            method != 0 || entry.dataCount == entry.contentCount + Self.overhead
        else { throw .damagedEntry(name) }
        let damaged = DataBackupError.damaged(.header(entry: name))
        guard entry.offset <= directory - Self.headerCount - entry.name.count else { throw damaged }
        let head = try source.read(entry.offset, Self.headerCount)
        guard head.starts(with: [0x50, 0x4b, 3, 4]), head.number16(at: 6) == entry.flags,
            head.number16(at: 8) == entry.method, head.number16(at: 26) == entry.name.count
        else { throw damaged }
        let tail = entry.name.count + head.number16(at: 28)
        dataOffset = entry.offset + Self.headerCount + tail
        guard dataOffset <= directory, entry.dataCount <= directory - dataOffset else { throw damaged }
        let names = try source.read(entry.offset + Self.headerCount, tail)
        guard names.starts(with: entry.name),
            let extra = try? ExtraFields(names.dropFirst(entry.name.count)), extra.encryption == fields
        else { throw damaged }
        range = entry.offset..<dataOffset + entry.dataCount
    }
}
