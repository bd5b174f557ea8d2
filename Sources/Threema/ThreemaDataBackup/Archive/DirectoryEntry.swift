// An entry of the directory (APPNOTE 4.3.12):
//
//   offset  length  meaning
//        0       4  50 4b 01 02
//        4       4  versions; not read
//        8       2  flags: bit 0 encrypted, 6 and 13 encryption that no app uses
//       10       2  method: 99 is AES
//       12       4  time; not read
//       16       4  CRC-32; 0 for AE-2
//       20       4  length of the data in the file
//       24       4  length of the content
//       28       2  length of the name (n)
//       30       2  length of the extra fields (m)
//       32       2  length of the comment (k)
//       34       2  disk: 0
//       36       6  attributes; not read
//       42       4  offset of the local header
//       46       n  name
//     46+n       m  extra fields: number (2), length (2), bytes
//   46+n+m       k  comment
//
// Extra field 0x0001 (Zip64) has, each with 8 bytes, those of content length, data length and offset whose own field has
// all bits set, in this order. Extra field 0x9901 (AES) has 7 bytes: version of the format 1 or 2, "AE", strength (3 is
// 256 bits), method of the compression.

/// An entry as the directory has it.
struct DirectoryEntry: Equatable {
    /// Length without name, extra fields and comment, in bytes.
    static let fixedCount = 46

    var name: [UInt8]
    var flags: Int
    var method: Int
    var checksum: Int
    /// Length of the data in the file, in bytes.
    var dataCount: Int
    /// Length of the content in bytes, as announced.
    var contentCount: Int
    /// Offset of the local header.
    var offset: Int
    /// The AES field; nil if there is none.
    var encryption: [UInt8]?

    /// The length of the entry that begins with these 46 bytes.
    /// - Returns: nil if it is not an entry of a directory.
    static func count(of head: ArraySlice<UInt8>) -> Int? {
        guard head.starts(with: [0x50, 0x4b, 1, 2]) else { return nil }
        return fixedCount + head.number16(at: 28) + head.number16(at: 30) + head.number16(at: 32)
    }

    /// - Parameter bytes: as many as `count(of:)` says.
    /// - Throws: `.damaged(.directory)`.
    init(_ bytes: ArraySlice<UInt8>) throws(DataBackupError) {
        let start = bytes.startIndex + Self.fixedCount
        let nameEnd = start + bytes.number16(at: 28)
        let extraEnd = nameEnd + bytes.number16(at: 30)
        name = Array(bytes[start..<nameEnd])
        flags = bytes.number16(at: 8)
        method = bytes.number16(at: 10)
        checksum = bytes.number32(at: 16)
        dataCount = bytes.number32(at: 20)
        contentCount = bytes.number32(at: 24)
        offset = bytes.number32(at: 42)
        var disk = bytes.number16(at: 34)
        let extra = try ExtraFields(bytes[nameEnd..<extraEnd])
        encryption = extra.encryption
        var large = extra.zip64
        for field in [\DirectoryEntry.contentCount, \.dataCount, \.offset] where self[keyPath: field] == 0xffff_ffff {
            guard large.count >= 8, let number = large.number64(at: 0) else { throw .damaged(.directory) }
            self[keyPath: field] = number
            large = large.dropFirst(8)
        }
        if disk == 0xffff, large.count >= 4 { disk = large.number32(at: 0) }
        guard disk == 0 else { throw .damaged(.directory) }
    }
}

/// The extra fields of a header that are read.
struct ExtraFields {
    /// The content of the Zip64 field; empty if there is none.
    var zip64: ArraySlice<UInt8> = []
    /// The content of the AES field; nil if there is none.
    var encryption: [UInt8]?

    /// - Throws: `.damaged(.directory)` if a field is longer than the rest, or if one of the two is there twice.
    init(_ bytes: ArraySlice<UInt8>) throws(DataBackupError) {
        var rest = bytes
        while !rest.isEmpty {
            guard rest.count >= 4, rest.count - 4 >= rest.number16(at: 2) else { throw .damaged(.directory) }
            let (number, count) = (rest.number16(at: 0), rest.number16(at: 2))
            let content = rest.dropFirst(4).prefix(count)
            if number == 0x0001 {
                guard zip64.isEmpty else { throw .damaged(.directory) }
                zip64 = content
            } else if number == 0x9901 {
                guard encryption == nil else { throw .damaged(.directory) }
                encryption = Array(content)
            }
            rest = rest.dropFirst(4 + count)
        }
    }
}
