// The log of a store, `sessions.db-wal` (SQLite, "Database File Format", 4, "The Write-Ahead Log"). Numbers are big endian.
//
//   offset  length  meaning
//        0       4  0x377f0682; 0x377f0683 if checksums are over big-endian words
//        4       4  version, 3007000
//        8       4  length p of a page: a power of two, 512 to 65536
//       12       4  how often the log was begun again
//       16       8  salts: others each time the log is begun again
//       24       8  checksum of the 24 bytes before it
//       32          frames, each:
//
//        0       4  number of the page, from 1
//        4       4  in the last frame of a transaction the file's length in pages, else 0
//        8       8  salts of the header
//       16       8  checksum of the first 8 bytes and of the page; it continues the checksum of the frame before it, in the
//                   first frame that of the header
//       24       p  page
//
// SQLite reads the frames up to the last transaction before the first frame whose salts or checksum are wrong, and
// ignores what is behind. A log that was merged into the file is begun again: its frames are overwritten one by one.

/// The two running sums of a log. They detect accidents, not attackers.
struct LogChecksum: Equatable {
    /// Words of 4 bytes in a log may have either order.
    enum Order: CaseIterable {
        case little
        case big
    }

    private var first: UInt32
    private var second: UInt32

    /// That of nothing.
    static let zero = LogChecksum(first: 0, second: 0)

    private init(first: UInt32, second: UInt32) {
        self.first = first
        self.second = second
    }

    /// The one that stands at an offset, 8 bytes.
    init(_ bytes: Span<UInt8>, at offset: Int) {
        first = bytes.bigEndian(at: offset)
        second = bytes.bigEndian(at: offset + 4)
    }

    /// The checksum of what this one covers and these bytes.
    /// - Parameter bytes: a multiple of 8.
    func continued(over bytes: Span<UInt8>, _ order: Order) -> LogChecksum {
        var sum = self
        var offset = 0
        while offset < bytes.count {
            var (one, two) = (bytes.bigEndian(at: offset), bytes.bigEndian(at: offset + 4))
            if order == .little { (one, two) = (one.byteSwapped, two.byteSwapped) }
            sum.first &+= one &+ sum.second
            sum.second &+= two &+ sum.first
            offset += 8
        }
        return sum
    }
}

/// The header of a log.
struct LogHeader {
    static let count = 32
    private static let magic: UInt32 = 0x377f_0682
    private static let checkedCount = 24

    /// Lengths that a page can have. That of a store comes first.
    static let pageCounts = [4096, 512, 1024, 2048, 8192, 16384, 32768, 65536]

    let order: LogChecksum.Order
    let pageCount: Int
    let salts: UInt64
    let checksum: LogChecksum

    /// - Parameter bytes: `count`.
    /// - Returns: nil if SQLite would ignore the log.
    init?(_ bytes: Span<UInt8>) {
        switch bytes.bigEndian(at: 0) {
        case Self.magic: order = .little
        case Self.magic | 1: order = .big
        default: return nil
        }
        pageCount = Int(bytes.bigEndian(at: 8))
        salts = bytes.salts(at: 16)
        checksum = LogChecksum(bytes, at: Self.checkedCount)
        guard Self.pageCounts.contains(pageCount),
            LogChecksum.zero.continued(over: bytes.extracting(first: Self.checkedCount), order) == checksum
        else { return nil }
    }
}

/// What stands before the page of a frame.
struct LogFrame {
    /// Length of a frame without its page.
    static let overhead = 24

    let page: UInt32
    /// Whether the frame is the last one of a transaction.
    let endsTransaction: Bool
    let salts: UInt64
    let checksum: LogChecksum

    /// - Parameter frame: `overhead` bytes at least.
    init(_ frame: Span<UInt8>) {
        page = frame.bigEndian(at: 0)
        endsTransaction = frame.bigEndian(at: 4) != 0
        salts = frame.salts(at: 8)
        checksum = LogChecksum(frame, at: 16)
    }

    /// The checksum that a frame must have.
    /// - Parameters:
    ///   - frame: `overhead` and a page.
    ///   - former: that of the frame before it, or of the header.
    static func checksum(
        of frame: Span<UInt8>, after former: LogChecksum, _ order: LogChecksum.Order
    ) -> LogChecksum {
        former.continued(over: frame.extracting(first: 8), order)
            .continued(over: frame.extracting(overhead..<frame.count), order)
    }
}

extension Span<UInt8> {
    fileprivate func bigEndian(at offset: Int) -> UInt32 {
        UInt32(self[offset]) << 24 | UInt32(self[offset + 1]) << 16 | UInt32(self[offset + 2]) << 8
            | UInt32(self[offset + 3])
    }

    fileprivate func salts(at offset: Int) -> UInt64 {
        UInt64(bigEndian(at: offset)) << 32 | UInt64(bigEndian(at: offset + 4))
    }
}
