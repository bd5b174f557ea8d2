internal import SecureMemory

// The bytes of an SQLite database, which are read here and not by SQLite: SQLite would copy the key into memory that
// nobody wipes, and would lock or change the files of a program that is running. Of its first page
// (fileformat2.html, 1.3):
//
//   offset  length  meaning
//        0      16  "SQLite format 3" and a zero byte
//       16       2  page size in bytes, big-endian: a power of two from 512 on; 1 means 65,536
//       20       1  unused bytes at the end of each page
//       56       4  encoding of texts, big-endian; 1 is UTF-8
//
// Pages have the numbers 1, 2, … in the order of the file. Those in the log of committed transactions, or in the journal
// of one that was interrupted, come before those of the file.

/// An SQLite database in guarded memory.
final class DatabaseImage {
    private let main: SecureBytes
    private let log: SecureBytes
    private let journal: SecureBytes
    private let logged: [UInt32: Int]
    private let restored: [UInt32: Int]
    private let pageCount: Int

    /// Bytes of a page that are used.
    let usableCount: Int

    private static let magic = Array("SQLite format 3\0".utf8)
    private static let headerCount = 100

    /// Whether a file that begins so is an SQLite database.
    static func isLikely(_ head: Span<UInt8>) -> Bool {
        guard head.count >= magic.count else { return false }
        return magic.indices.allSatisfy { head[$0] == magic[$0] }
    }

    /// - Parameters:
    ///   - main: the database.
    ///   - log: its file `-wal`; empty if there is none.
    ///   - journal: its file `-journal`; empty if there is none.
    /// - Throws: `.otherDatabase` if `main` is not SQLite's; `.damaged`.
    init(
        _ main: consuming SecureBytes, log: consuming SecureBytes, journal: consuming SecureBytes
    ) throws(TelegramSessionError) {
        let pageCount = try main.withBytes { (bytes) throws(TelegramSessionError) in
            guard Self.isLikely(bytes) else { throw .otherDatabase }
            guard bytes.count >= Self.headerCount else { throw .damaged }
            let written = bytes.number(2, at: 16)
            let count = written == 1 ? 65_536 : Int(written)
            let isPowerOfTwo = count & (count - 1) == 0
            guard count >= 512, isPowerOfTwo, bytes[20] <= 32, bytes.number(4, at: 56) <= 1 else { throw .damaged }
            return (page: count, usable: count - Int(bytes[20]))
        }
        (logged, restored) = (
            log.withBytes { WriteAheadLog.pages(in: $0, pageCount: pageCount.page) },
            journal.withBytes { RollbackJournal.pages(in: $0, pageCount: pageCount.page) }
        )
        (self.pageCount, usableCount) = (pageCount.page, pageCount.usable)
        self.main = main
        self.log = log
        self.journal = journal
    }

    /// Lends a page to `body`, at its whole length.
    /// - Parameter number: from 1.
    /// - Throws: `.damaged` if there is no such page; what `body` throws.
    func withPage<Result: ~Copyable>(
        _ number: UInt32, _ body: (Span<UInt8>) throws(TelegramSessionError) -> Result
    ) throws(TelegramSessionError) -> Result {
        let count = pageCount
        func lend(_ bytes: Span<UInt8>, at start: Int) throws(TelegramSessionError) -> Result {
            guard start >= 0, bytes.count - count >= start else { throw .damaged }
            return try body(bytes.extracting(start..<start + count))
        }
        if let start = logged[number] {
            return try log.withBytes { (bytes) throws(TelegramSessionError) in try lend(bytes, at: start) }
        }
        if let start = restored[number] {
            return try journal.withBytes { (bytes) throws(TelegramSessionError) in try lend(bytes, at: start) }
        }
        return try main.withBytes { (bytes) throws(TelegramSessionError) in
            try lend(bytes, at: (Int(number) - 1) * count)
        }
    }
}

extension Span<UInt8> {
    /// A big-endian number of up to 8 bytes, which have to be there.
    func number(_ count: Int, at start: Int) -> UInt64 {
        (start..<start + count).reduce(0) { $0 << 8 | UInt64(self[$1]) }
    }
}
