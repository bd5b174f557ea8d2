/// The bytes of a ZIP file, read piece by piece at any offset. The library opens no files.
public struct ArchiveSource {
    /// Length of the file in bytes.
    public let count: Int
    private let readBytes: (_ offset: Int, _ count: Int) throws(DataBackupError) -> [UInt8]

    /// - Parameters:
    ///   - count: length of the file in bytes.
    ///   - read: returns `count` bytes from `offset` on; fewer only if the file has become shorter.
    public init(
        count: Int, read: @escaping (_ offset: Int, _ count: Int) throws(DataBackupError) -> [UInt8]
    ) {
        self.count = count
        readBytes = read
    }

    /// A file that is in memory.
    public init(_ bytes: [UInt8]) {
        self.init(count: bytes.count) { offset, count in Array(bytes[offset..<min(offset + count, bytes.count)]) }
    }

    /// Exactly `count` bytes.
    /// - Throws: `.truncated` if the range is not inside the file, or if the file has become shorter.
    func read(_ offset: Int, _ count: Int) throws(DataBackupError) -> [UInt8] {
        guard offset >= 0, count >= 0, offset <= self.count, count <= self.count - offset else { throw .truncated }
        let bytes = try readBytes(offset, count)
        guard bytes.count == count else { throw .truncated }
        return bytes
    }
}

/// Little-endian numbers, as everywhere in a ZIP file. The caller has checked that the bytes are there.
extension RandomAccessCollection where Element == UInt8, Index == Int {
    func number16(at offset: Int) -> Int { number(offset, 2) }
    func number32(at offset: Int) -> Int { number(offset, 4) }

    /// - Returns: nil from 2^63 on, which no offset or length in a file is.
    func number64(at offset: Int) -> Int? {
        let (low, high) = (number(offset, 4), number(offset + 4, 4))
        return high < 1 << 31 ? high << 32 | low : nil
    }

    private func number(_ offset: Int, _ count: Int) -> Int {
        (0..<count).reduce(0) { $0 | Int(self[startIndex + offset + $1]) << (8 * $1) }
    }
}

extension Array where Element == UInt8 {
    mutating func append16(_ value: Int) { append(value, 2) }
    mutating func append32(_ value: Int) { append(value, 4) }

    private mutating func append(_ value: Int, _ count: Int) {
        for index in 0..<count { append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
    }
}
