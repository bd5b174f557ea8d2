@testable import ThreemaDataBackup

/// A ZIP file with one encrypted entry, whose fields can be changed. The ciphertext is not real.
struct SampleArchive {
    var name = "settings"
    var flags = 0x0809
    var method = 99
    var data = [UInt8](repeating: 7, count: 60)
    var contentCount = 15
    var checksum = 0
    var extra: [UInt8] = [1, 0x99, 7, 0, 2, 0, 0x41, 0x45, 3, 8, 0]
    var localName: String?
    var localFlags: Int?
    var localExtra: [UInt8]?
    var offset: Int?
    var dataCount: Int?
    var disk = 0
    var isZip64 = false
    /// Fields of the end record.
    var entries = 1
    var directoryCount: Int?
    var directoryOffset: Int?
    var comment: [UInt8] = []
    var commentCount: Int?
    /// Bytes behind the file, and in front of the end records.
    var tail: [UInt8] = []
    var gap: [UInt8] = []

    var bytes: [UInt8] {
        let local = Array((localName ?? name).utf8)
        let localExtra = localExtra ?? extra
        var file: [UInt8] = [0x50, 0x4b, 3, 4]
        for value in [51, localFlags ?? flags, method] { file.append16(value) }
        for _ in 0..<4 { file.append32(0) }
        file.append16(local.count)
        file.append16(localExtra.count)
        file += local + localExtra + data
        let start = file.count
        file += directory
        let count = file.count - start
        file += gap
        if isZip64 { file += zip64(start: start, count: count, end: file.count) }
        file += [0x50, 0x4b, 5, 6, 0, 0, 0, 0]
        for _ in 0..<2 { file.append16(entries) }
        file.append32(directoryCount ?? count)
        file.append32(isZip64 ? 0xffff_ffff : directoryOffset ?? start)
        file.append16(commentCount ?? comment.count)
        return file + comment + tail
    }

    private var directory: [UInt8] {
        var large: [UInt8] = []
        if isZip64 {
            large.append16(1)
            large.append16(28)
            for value in [contentCount, dataCount ?? data.count, offset ?? 0] {
                large.append32(value)
                large.append32(0)
            }
            large.append32(0)
        }
        var entry: [UInt8] = [0x50, 0x4b, 1, 2]
        for value in [0x0333, 51, flags, method] { entry.append16(value) }
        for value in [0, checksum] { entry.append32(value) }
        for value in [dataCount ?? data.count, contentCount] { entry.append32(isZip64 ? 0xffff_ffff : value) }
        for value in [name.utf8.count, large.count + extra.count, 0, isZip64 ? 0xffff : disk, 0] {
            entry.append16(value)
        }
        entry.append32(0)
        entry.append32(isZip64 ? 0xffff_ffff : offset ?? 0)
        return entry + Array(name.utf8) + large + extra
    }

    private func zip64(start: Int, count: Int, end: Int) -> [UInt8] {
        var record: [UInt8] = [0x50, 0x4b, 6, 6]
        func append64(_ value: Int) {
            record.append32(value & 0xffff_ffff)
            record.append32(value >> 32)
        }
        append64(44)
        for value in [51, 51] { record.append16(value) }
        for _ in 0..<2 { record.append32(0) }
        for value in [entries, entries, directoryCount ?? count, directoryOffset ?? start] { append64(value) }
        record += [0x50, 0x4b, 6, 7]
        record.append32(0)
        append64(end)
        record.append32(1)
        return record
    }

    /// With changes.
    func with(_ change: (inout SampleArchive) -> Void) -> SampleArchive {
        var copy = self
        change(&copy)
        return copy
    }

    /// The entry as it is read.
    func entry(limit: Int = 1024) throws -> EncryptedEntry {
        let source = ArchiveSource(bytes)
        let directory = try ArchiveDirectory(of: source)
        var entries: [DirectoryEntry] = []
        try directory.forEach { (entry) throws(DataBackupError) in entries.append(entry) }
        return try EncryptedEntry(entries[0], limit: limit, in: source, before: directory.offset)
    }
}
