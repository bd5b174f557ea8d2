package import SecureMemory

// A gzip member (RFC 1952) as keytool writes it:
//
//   offset  length  meaning
//        0       2  1f 8b
//        2       1  8: deflate
//        3       1  flags: none
//        4       4  mtime: 0
//        8       1  XFL: 0
//        9       1  OS: 0
//       10     5+n  deflate, stored blocks: final bit and type 00, length, its complement, n <= 65,535 bytes
//     end-8       4  CRC-32 of the content, little endian
//     end-4       4  length of the content modulo 2^32, little endian
//
// Stored blocks (deflate level 0) are what the apps write: the length of the ciphertext then tells
// nothing about how well the content compresses. They need no zlib, whose window would keep an
// unguarded copy of the content.

/// Gzip members: written with stored blocks, read at any compression level.
package enum Gzip {
    private static let headerCount = 10
    private static let trailerCount = 8
    private static let blockHeaderCount = 5
    private static let maxBlockCount = 65_535

    /// Wraps `content` in stored blocks.
    /// - Returns: the member: 18 bytes and 5 for each started block of 65,535 bytes more than `content`.
    package static func store(_ content: Span<UInt8>) -> SecureBytes {
        let blocks = max(1, (content.count + maxBlockCount - 1) / maxBlockCount)
        var member = SecureBuffer(
            capacity: headerCount + blocks * blockHeaderCount + content.count + trailerCount)
        for byte: UInt8 in [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0] { member.append(byte) }
        for block in 0..<blocks {
            let start = block * maxBlockCount
            let end = min(start + maxBlockCount, content.count)
            let length = UInt16(end - start)
            member.append(block == blocks - 1 ? 1 : 0)
            append(UInt32(length), bytes: 2, to: &member)
            append(UInt32(~length), bytes: 2, to: &member)
            member.append(content.extracting(start..<end))
        }
        append(Deflate.checksum(content), bytes: 4, to: &member)
        append(UInt32(truncatingIfNeeded: content.count), bytes: 4, to: &member)
        return member.finish()
    }

    /// Unwraps one gzip member of any compression level.
    ///
    /// The length in the trailer is checked first and must be at most `limit` bytes. That much memory is allocated, and
    /// a content of another length is refused, so a small member cannot take much memory.
    /// - Throws: `.notGzip`, `.tooLarge(limit:)`, or `.damaged` (deflate, length or checksum).
    package static func open(_ member: Span<UInt8>, limit: Int) throws(GzipError) -> SecureBytes {
        let start = try contentOffset(member)
        let end = member.count - trailerCount
        guard start <= end else { throw .damaged }
        let length = Int(littleEndian(member, at: end + 4))
        // Deflate expands a byte to at most 1032 bytes, so a trailer with a greater length is wrong.
        guard length <= Deflate.maxRatio * (end - start) else { throw .damaged }
        guard length <= limit else { throw .tooLarge(limit: limit) }
        let content = try SecureBytes(count: length) { (content) throws(GzipError) in
            guard Deflate.inflate(member.extracting(start..<end), into: &content) else { throw .damaged }
        }
        let actual = content.withBytes { Deflate.checksum($0) }
        guard actual == littleEndian(member, at: end) else { throw .damaged }
        return content
    }

    /// Where the deflate stream begins: behind the header and the optional fields that it announces.
    private static func contentOffset(_ member: Span<UInt8>) throws(GzipError) -> Int {
        guard member.count >= headerCount + trailerCount, member[0] == 0x1f, member[1] == 0x8b, member[2] == 8,
            member[3] & 0xe0 == 0
        else { throw .notGzip }
        let flags = member[3]
        var offset = headerCount
        if flags & 0x04 != 0 {  // FEXTRA
            guard offset + 2 <= member.count else { throw .damaged }
            offset += 2 + Int(member[offset]) + Int(member[offset + 1]) << 8
        }
        for flag: UInt8 in [0x08, 0x10] where flags & flag != 0 {  // FNAME, FCOMMENT: up to a zero byte
            while offset < member.count, member[offset] != 0 { offset += 1 }
            offset += 1
        }
        if flags & 0x02 != 0 { offset += 2 }  // FHCRC
        return offset
    }

    private static func littleEndian(_ bytes: Span<UInt8>, at offset: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 | UInt32(bytes[offset + $1]) << UInt32(8 * $1) }
    }

    private static func append(_ value: UInt32, bytes: Int, to buffer: inout SecureBuffer) {
        for index in 0..<bytes { buffer.append(UInt8(truncatingIfNeeded: value >> UInt32(8 * index))) }
    }
}

/// Why bytes are not one gzip member.
public enum GzipError: Error, Equatable, Sendable {
    /// It does not begin as a gzip member of deflate does.
    case notGzip
    /// It announces more content than `limit` bytes.
    case tooLarge(limit: Int)
    /// The compressed data, its length or its checksum do not fit together.
    case damaged
}
