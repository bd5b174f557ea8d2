// The log of a database in WAL mode (fileformat2.html, 4): a header of 32 bytes, then frames, each a header of 24 bytes
// and a page. Numbers are big-endian.
//
//   offset  length  meaning, in the log's header
//        0       4  377f0682 or 377f0683; the second one says that checksums are made of big-endian words
//        4       4  version, 3007000
//        8       4  page size in bytes
//       16       8  salt
//       24       8  checksum of the 24 bytes before it
//
//   offset  length  meaning, in a frame's header
//        0       4  number of the page
//        4       4  length of the database in pages, if the frame ends a transaction, else 0
//        8       8  salt, as in the log's header
//       16       8  checksum of the first 8 bytes and of the page, which goes on from the frame before
//
// The first frame with another salt or a wrong checksum, and all behind it, do not count: they are older, or are being
// written.

/// Finds the pages of committed transactions.
enum WriteAheadLog {
    private static let headerCount = 32
    private static let frameHeaderCount = 24

    /// - Parameter pageCount: page size of the database, in bytes.
    /// - Returns: for each page the offset of its newest content. Empty if the log is not one of this database.
    static func pages(in log: Span<UInt8>, pageCount: Int) -> [UInt32: Int] {
        guard log.count >= headerCount, log.number(4, at: 0) | 1 == 0x377f_0683, log.number(4, at: 4) == 3_007_000,
            log.number(4, at: 8) == UInt64(pageCount)
        else { return [:] }
        var checksum = Checksum(isBigEndian: log[3] & 1 == 1)
        checksum.add(log, 0..<24)
        guard checksum.isEqual(to: log, at: 24) else { return [:] }
        var committed: [UInt32: Int] = [:]
        var pending: [UInt32: Int] = [:]
        var start = headerCount
        while log.count - start >= frameHeaderCount + pageCount {
            let content = start + frameHeaderCount
            checksum.add(log, start..<start + 8)
            checksum.add(log, content..<content + pageCount)
            guard log.number(8, at: start + 8) == log.number(8, at: 16), checksum.isEqual(to: log, at: start + 16)
            else { break }
            pending[UInt32(log.number(4, at: start))] = content
            if log.number(4, at: start + 4) != 0 {
                committed.merge(pending) { $1 }
                pending = [:]
            }
            start = content + pageCount
        }
        return committed
    }

    /// Fibonacci-weighted sums of pairs of words.
    private struct Checksum {
        let isBigEndian: Bool
        private var sums: (UInt32, UInt32) = (0, 0)

        init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

        /// - Parameter range: of a multiple of 8 bytes.
        mutating func add(_ bytes: Span<UInt8>, _ range: Range<Int>) {
            for start in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
                sums.0 = sums.0 &+ word(bytes, start) &+ sums.1
                sums.1 = sums.1 &+ word(bytes, start + 4) &+ sums.0
            }
        }

        private func word(_ bytes: Span<UInt8>, _ start: Int) -> UInt32 {
            let word = UInt32(bytes.number(4, at: start))
            return isBigEndian ? word : word.byteSwapped
        }

        func isEqual(to bytes: Span<UInt8>, at start: Int) -> Bool {
            bytes.number(8, at: start) == UInt64(sums.0) << 32 | UInt64(sums.1)
        }
    }
}
