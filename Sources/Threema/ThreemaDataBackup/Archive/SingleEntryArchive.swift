/// A ZIP file of one entry, made of one that was checked: libzip never sees headers that somebody else wrote, nor the
/// directory of a file with a million entries.
enum SingleEntryArchive {
    private static let version = 51
    /// Bytes of the data that are read at a time.
    private static let pieceCount = 1024 * 1024

    /// - Returns: local header, data, directory and end record.
    /// - Throws: `.notReadable`, `.truncated`.
    static func make(_ entry: EncryptedEntry, from source: ArchiveSource) throws(DataBackupError) -> [UInt8] {
        let name = Array("entry".utf8)
        var extra: [UInt8] = []
        extra.append16(0x9901)
        extra.append16(7)
        extra.append16(entry.version)
        extra += Array("AE".utf8) + [3]
        // Always deflate, which libzip is not asked to inflate: of stored content it would compare the checksum, which AE-2
        // does not have.
        extra.append16(8)

        var fields: [UInt8] = []  // of the local header and of the directory's entry
        fields.append16(version)
        fields.append16(1)  // encrypted
        fields.append16(99)
        fields.append32(0x0021_0000)  // 1980-01-01
        fields.append32(entry.checksum)
        fields.append32(entry.data.count)
        fields.append32(entry.contentCount)
        fields.append16(name.count)
        fields.append16(extra.count)

        var archive: [UInt8] = []
        archive.reserveCapacity(entry.data.count + 256)
        archive += [0x50, 0x4b, 3, 4] + fields + name + extra
        var position = entry.data.lowerBound
        while position < entry.data.upperBound {
            let count = min(pieceCount, entry.data.upperBound - position)
            archive += try source.read(position, count)
            position += count
        }
        let directory = archive.count
        archive += [0x50, 0x4b, 1, 2]
        archive.append16(version)
        archive += fields + [UInt8](repeating: 0, count: 14) + name + extra
        let count = archive.count - directory
        archive += [0x50, 0x4b, 5, 6, 0, 0, 0, 0, 1, 0, 1, 0]
        archive.append32(count)
        archive.append32(directory)
        archive.append16(0)
        return archive
    }
}
