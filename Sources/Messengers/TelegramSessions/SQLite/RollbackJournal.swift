// The journal of a transaction that was interrupted (fileformat2.html, 3): it has the pages as they were before.
// Numbers are big-endian. Headers stand at multiples of the sector size; records follow each of them.
//
//   offset  length  meaning, in a header
//        0       8  d9d505f920a163d7
//        8       4  number of records behind it; ffffffff: all that are there
//       12       4  number that each record's checksum begins with
//       20       4  sector size in bytes
//       24       4  page size in bytes
//
// A record: number of the page (4), the page, checksum (4): the sum of the header's number and of every 200th byte of
// the page, from its end. In a journal that is not needed any more, the header is overwritten or the file is empty.

/// Finds the pages that an interrupted transaction may have overwritten.
enum RollbackJournal {
    private static let magic: UInt64 = 0xd9d5_05f9_20a1_63d7
    private static let headerCount = 28

    /// - Parameter pageCount: page size of the database, in bytes.
    /// - Returns: for each page the offset of its former content. Empty if the journal is not one of this database.
    static func pages(in journal: Span<UInt8>, pageCount: Int) -> [UInt32: Int] {
        var pages: [UInt32: Int] = [:]
        var header = 0
        while journal.count - header >= headerCount, journal.number(8, at: header) == magic {
            let sector = Int(journal.number(4, at: header + 20))
            guard (headerCount...65_536).contains(sector), Int(journal.number(4, at: header + 24)) == pageCount
            else { break }
            let first = UInt32(journal.number(4, at: header + 12))
            var left = Int(journal.number(4, at: header + 8))
            var start = header + sector
            while left > 0, journal.count - start >= pageCount + 8 {
                let content = start + 4
                var sum = first
                for index in stride(from: pageCount - 200, to: 0, by: -200) {
                    sum &+= UInt32(journal[content + index])
                }
                guard UInt32(journal.number(4, at: content + pageCount)) == sum else { return pages }
                let number = UInt32(journal.number(4, at: start))
                // The first record of a page is the oldest content.
                pages[number] = pages[number] ?? content
                start = content + pageCount + 4
                left -= 1
            }
            header = (start + sector - 1) / sector * sector
        }
        return pages
    }
}
