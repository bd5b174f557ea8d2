// The end of a ZIP file (APPNOTE 6.3.9, 4.3.14 to 4.3.16):
//
//   Zip64 end record, only in large files
//   offset  length  meaning
//        0       4  50 4b 06 06
//        4       8  length of the rest
//       16       4  number of this disk: 0
//       20       4  disk of the directory: 0
//       24       8  entries on this disk
//       32       8  entries in all
//       40       8  length of the directory
//       48       8  offset of the directory
//
//   Zip64 locator, directly in front of the end record
//        0       4  50 4b 06 07
//        4       4  disk of the Zip64 end record: 0
//        8       8  its offset
//       16       4  number of disks: 1
//
//   end record
//        0       4  50 4b 05 06
//        4       2  number of this disk: 0
//        6       2  disk of the directory: 0
//        8       2  entries on this disk
//       10       2  entries in all
//       12       4  length of the directory
//       16       4  offset of the directory
//       20       2  length of the comment
//       22       n  comment
//
// A field of the end record that is too small for its number has all bits set; then the Zip64 end record has the number.

/// Where the directory of a ZIP file is.
struct EndRecord: Equatable {
    /// Most entries that are read; a backup with more media has not been seen.
    static let maxEntries = 1_000_000
    /// Longest directory that is read, in bytes.
    static let maxDirectoryBytes = 256 * 1024 * 1024

    private static let count = 22
    private static let locatorCount = 20
    private static let zip64Count = 56
    private static let maxCommentBytes = 65_535

    /// Number of entries.
    var entries: Int
    /// Offset and length of the directory in bytes. It ends where the end records begin.
    var directory: Range<Int>

    /// Finds the end record of a file, and checks that everything in it agrees.
    /// - Throws: `.truncated` if there is none; `.damaged(.endRecord)`; `.tooManyEntries`, `.directoryTooLong`.
    init(of source: ArchiveSource) throws(DataBackupError) {
        let tailCount = min(source.count, Self.count + Self.maxCommentBytes + Self.locatorCount)
        let tail = try source.read(source.count - tailCount, tailCount)
        guard let position = Self.position(in: tail) else { throw .truncated }
        let record = tail[position...]
        var (entries, length) = (record.number16(at: 10), record.number32(at: 12))
        var offset = record.number32(at: 16)
        var end = source.count - tailCount + position
        guard record.number16(at: 4) == 0, record.number16(at: 6) == 0, record.number16(at: 8) == entries else {
            throw .damaged(.endRecord)
        }
        let locator = tail[max(0, position - Self.locatorCount)..<position]
        if locator.count == Self.locatorCount, locator.starts(with: [0x50, 0x4b, 6, 7]) {
            let large = try Self.zip64(locator, in: source, before: end - Self.locatorCount)
            guard entries == 0xffff || entries == large.entries, length == 0xffff_ffff || length == large.length,
                offset == 0xffff_ffff || offset == large.offset
            else { throw .damaged(.endRecord) }
            (entries, length, offset, end) = large
        }
        guard entries <= Self.maxEntries else { throw .tooManyEntries(limit: Self.maxEntries) }
        guard length <= Self.maxDirectoryBytes else { throw .directoryTooLong(limit: Self.maxDirectoryBytes) }
        // Nothing between directory and end records, so that nothing can be hidden there.
        guard offset <= end, length == end - offset else { throw .damaged(.endRecord) }
        self.entries = entries
        directory = offset..<end
    }

    /// The last record whose comment ends with the file.
    private static func position(in tail: [UInt8]) -> Int? {
        guard tail.count >= count else { return nil }
        return (0...tail.count - count).last { position in
            tail[position] == 0x50 && tail[position...].starts(with: [0x50, 0x4b, 5, 6])
                && tail[position...].number16(at: 20) == tail.count - position - count
        }
    }

    private static func zip64(
        _ locator: ArraySlice<UInt8>, in source: ArchiveSource, before end: Int
    ) throws(DataBackupError) -> (entries: Int, length: Int, offset: Int, end: Int) {
        guard locator.number32(at: 4) == 0, locator.number32(at: 16) == 1,
            let position = locator.number64(at: 8), position <= end - zip64Count
        else { throw .damaged(.endRecord) }
        let record = try source.read(position, zip64Count)
        guard record.starts(with: [0x50, 0x4b, 6, 6]), record.number64(at: 4) == end - position - 12,
            record.number32(at: 16) == 0, record.number32(at: 20) == 0,
            let entries = record.number64(at: 32), record.number64(at: 24) == entries,
            let length = record.number64(at: 40), let offset = record.number64(at: 48)
        else { throw .damaged(.endRecord) }
        return (entries, length, offset, position)
    }
}
