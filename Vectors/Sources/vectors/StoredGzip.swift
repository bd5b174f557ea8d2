/// Gzip members with stored blocks, as the apps write them (RFC 1951, 1952).
enum StoredGzip {
    /// The content in the longest blocks, as keytool writes it, and in those of zlib. Both write a short content as one
    /// block.
    static func members(_ content: [UInt8]) -> [[UInt8]] { [65_535, 65_531].map { member(content, $0) } }

    private static func member(_ content: [UInt8], _ blockCount: Int) -> [UInt8] {
        var member: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0]
        for start in stride(from: 0, to: max(content.count, 1), by: blockCount) {
            let block = content[start..<min(start + blockCount, content.count)]
            member.append(start + blockCount >= content.count ? 1 : 0)
            member += littleEndian(UInt32(block.count)).prefix(2) + littleEndian(~UInt32(block.count)).prefix(2) + block
        }
        return member + littleEndian(checksum(content)) + littleEndian(UInt32(content.count))
    }

    /// CRC-32.
    private static func checksum(_ content: [UInt8]) -> UInt32 {
        ~content.reduce(~UInt32(0)) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum >> 1 ^ (sum & 1 == 1 ? 0xedb8_8320 : 0) }
        }
    }

    private static func littleEndian(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
