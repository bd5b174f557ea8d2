import Foundation
import Testing
import VectorKit

@testable import SessionStore

/// Logs that another program's SQLite has written, whole and damaged.
@Suite struct LogConditionTests {
    private static let header = 32
    /// A frame with a page of 512 bytes.
    private static let frame = 24 + 512

    /// The log that these statements leave if the program is killed behind them. Before them, the log is empty. Pages
    /// have 512 bytes; the tables `a` to `c` have a row `(1, x)` and a page each, so the file has 4 pages.
    private static func log(_ statements: String, pageCount: Int = 512) throws -> [UInt8] {
        let scratch = try Scratch()
        let program = """
            import os, sqlite3, sys
            database = sqlite3.connect(sys.argv[1], isolation_level=None)
            database.execute("PRAGMA page_size = " + sys.argv[3])
            for pragma in ("journal_mode = WAL", "synchronous = FULL", "wal_autocheckpoint = 0"):
                database.execute("PRAGMA " + pragma).fetchall()
            for name in "abc":
                database.execute(f"CREATE TABLE {name} (id INTEGER PRIMARY KEY, x BLOB)")
                database.execute(f"INSERT INTO {name} VALUES (1, zeroblob(40))")
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            for statement in sys.argv[2].split(";"):
                database.execute(statement).fetchall()
            os._exit(0)
            """
        _ = try Program.output(
            of: "/usr/bin/python3", ["-c", program, scratch.at("sessions.db"), statements, String(pageCount)])
        return try scratch.content("sessions.db-wal")
    }

    private static func update(_ tables: String) -> String {
        "BEGIN;" + tables.map { "UPDATE \($0) SET x = randomblob(40)" }.joined(separator: ";") + ";COMMIT"
    }

    /// Transactions that each change one page of each of these tables.
    private static func log(_ transactions: [String], pageCount: Int = 512) throws -> [UInt8] {
        let log = try log(transactions.map(update).joined(separator: ";"), pageCount: pageCount)
        try #require(log.count == header + transactions.joined().count * (24 + pageCount))
        return log
    }

    private func condition(_ log: [UInt8]) -> LogCondition {
        LogCondition(ofLog: log.count) { (bytes: inout MutableSpan<UInt8>, offset) -> Int in
            let count = max(0, min(bytes.count, log.count - offset))
            for index in 0..<count { bytes[index] = log[offset + index] }
            return count
        }
    }

    /// Flips each bit.
    private func expectFlips(_ log: [UInt8], _ condition: (_ offset: Int, _ flipped: [UInt8]) -> LogCondition) {
        #expect(self.condition(log) == .sound)
        var flipped = log
        for offset in log.indices {
            for bit in 0..<8 {
                flipped[offset] ^= 1 << bit
                let found = self.condition(flipped)
                let expected = condition(offset, flipped)
                if found != expected { Issue.record("byte \(offset), bit \(bit): \(found), not \(expected)") }
                flipped[offset] ^= 1 << bit
            }
        }
    }

    private func number(_ log: [UInt8], at offset: Int) -> UInt32 {
        log[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    // MARK: Bits

    @Test func `each bit of three transactions of a page each`() throws {
        let second = Self.header + Self.frame
        expectFlips(try Self.log(["a", "b", "c"])) { offset, flipped in
            // Without its mark, the last frame of the second transaction looks like one of the third.
            if number(flipped, at: second + 4) == 0 { return .torn }
            return offset < second + Self.frame ? .damaged : .torn
        }
    }

    @Test func `each bit of three transactions of two pages each`() throws {
        let (second, third) = (Self.header + 3 * Self.frame, Self.header + 4 * Self.frame)
        expectFlips(try Self.log(["ab", "bc", "ac"])) { offset, flipped in
            if number(flipped, at: second + 4) == 0 { return .torn }
            // With a mark in its first frame, the third transaction looks like two.
            if number(flipped, at: third + 4) != 0 { return .damaged }
            return offset < third ? .damaged : .torn
        }
    }

    @Test func `a log of one transaction proves nothing`() throws {
        expectFlips(try Self.log(["a"])) { _, _ in .torn }
    }

    @Test(arguments: LogHeader.pageCounts) func `pages of each length`(_ pageCount: Int) throws {
        let log = try Self.log(["a", "b", "c"], pageCount: pageCount)
        #expect(condition(log) == .sound)
        for (offset, expected) in [
            (0, LogCondition.damaged), (8, .damaged), (10, .damaged), (17, .damaged), (31, .damaged), (32, .damaged),
            (32 + 24 + pageCount, .damaged), (log.count - pageCount, .torn), (log.count - 1, .torn),
        ] {
            var flipped = log
            flipped[offset] ^= 4
            #expect(condition(flipped) == expected, "byte \(offset)")
        }
    }

    @Test func `checksums over big-endian words`() throws {
        // As SQLite writes on other machines: the same frames with the other magic number, and new checksums.
        var log = try Self.log(["a", "b", "c"])
        log[3] |= 1
        var sums: (UInt32, UInt32) = (0, 0)
        func add(_ range: Range<Int>) {
            for offset in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
                sums.0 = sums.0 &+ number(log, at: offset) &+ sums.1
                sums.1 = sums.1 &+ number(log, at: offset + 4) &+ sums.0
            }
        }
        func put(_ offset: Int) {
            for (index, sum) in [sums.0, sums.1].enumerated() {
                for byte in 0..<4 { log[offset + 4 * index + byte] = UInt8(truncatingIfNeeded: sum >> (24 - 8 * byte)) }
            }
        }
        add(0..<24)
        put(24)
        for start in stride(from: Self.header, to: log.count, by: Self.frame) {
            add(start..<start + 8)
            add(start + 24..<start + Self.frame)
            put(start + 16)
        }
        #expect(condition(log) == .sound)
        log[Self.header + 100] ^= 1
        #expect(condition(log) == .damaged)
        log[Self.header + 100] ^= 1
        log[14] ^= 1
        #expect(condition(log) == .damaged)
    }

    // MARK: Cuts

    @Test func `a log that ends early is never damaged`() throws {
        let log = try Self.log(["ab", "c", "ac"])
        let ends = [0, Self.header] + [2, 3, 5].map { Self.header + $0 * Self.frame }
        for count in 0...log.count {
            #expect(condition(Array(log[..<count])) == (ends.contains(count) ? .sound : .torn), "\(count) bytes")
        }
    }

    @Test func `any mixture of written and missing frames of the last transaction is no damage`() throws {
        let log = try Self.log(["ab", "c", "abc"])
        let start = Self.header + 3 * Self.frame
        for missing in 1..<8 {
            for part in [0..<24, 24..<Self.frame, 0..<Self.frame] {
                var torn = log
                for frame in 0..<3 where missing & 1 << frame != 0 {
                    for index in part { torn[start + frame * Self.frame + index] = 0 }
                }
                // If nothing of it was written, the log ends before it.
                #expect(condition(torn) == (missing == 7 && part.lowerBound == 0 ? .sound : .torn))
            }
        }
    }

    // MARK: What earlier transactions have left

    /// Five frames, merged into the file, then these transactions over them.
    private func begunAgain(_ transactions: [String]) throws -> [UInt8] {
        let former = ["ab", "c", "bc"].map(Self.update) + ["PRAGMA wal_checkpoint(FULL)"]
        return try Self.log((former + transactions.map(Self.update)).joined(separator: ";"))
    }

    @Test func `frames of a log that was begun again are no damage`() throws {
        let log = try begunAgain(["a"])
        #expect(log.count == Self.header + 5 * Self.frame)
        // Four old frames follow a new one, the only one of its log.
        expectFlips(log) { offset, _ in
            // The header is written and synced before the first frame.
            offset < Self.header ? .damaged : offset < Self.header + Self.frame ? .torn : .sound
        }
        // Before its first frame was written.
        let empty = Array(log[..<Self.header]) + log[(Self.header + Self.frame)...]
        #expect(condition(empty) == .sound)
    }

    @Test func `damage before frames of the log that was begun again`() throws {
        let log = try begunAgain(["a", "bc", "a"])
        #expect(log.count == Self.header + 5 * Self.frame)
        expectFlips(log) { offset, flipped in
            let (last, next) = (Self.header + 2 * Self.frame, Self.header + 3 * Self.frame)
            if number(flipped, at: last + 4) == 0 { return .torn }
            return offset < next ? .damaged : offset < next + Self.frame ? .torn : .sound
        }
    }

    @Test func `what a rolled back transaction has left is no damage`() throws {
        // More pages than the cache holds: they are written before the end of the transaction, which never comes.
        let spilled =
            """
            PRAGMA cache_size = 4;PRAGMA cache_spill = 2;BEGIN;UPDATE a SET x = randomblob(30000);\
            UPDATE b SET x = randomblob(30000);ROLLBACK;PRAGMA cache_size = 100
            """
        let statements = [Self.update("a"), spilled, Self.update("bc"), Self.update("ab")]
        let log = try Self.log(statements.joined(separator: ";"))
        try #require(log.count > Self.header + 20 * Self.frame)
        let salts = Array(log[16..<24])
        let left = (5..<20).filter { Array(log[(Self.header + $0 * Self.frame + 8)...].prefix(8)) == salts }
        try #require(left.count == 15)
        #expect(condition(log) == .torn)
        // The last transaction, whose last frame was written and the first one not.
        for offset in (3 * Self.frame..<4 * Self.frame) {
            var torn = log
            torn[Self.header + offset] ^= 0x55
            let isMark = (4..<8).contains(offset - 3 * Self.frame)
            #expect(condition(torn) == (isMark ? .damaged : .torn), "\(offset)")
        }
        // One before it.
        var damaged = log
        damaged[Self.header + Self.frame + 99] ^= 1
        #expect(condition(damaged) == .damaged)
    }

    // MARK: Anything

    @Test func `files that are no logs`() {
        for count in [1, 31, 32, 33, 4152, 20_000] {
            for byte: UInt8 in [0, 1, 0xff] {
                #expect(condition([UInt8](repeating: byte, count: count)) == .torn)
            }
        }
    }

    @Test func `ten thousand mutations`() throws {
        let logs = try [Self.log(["ab", "c", "ac"]), begunAgain(["a", "bc"])]
        var random = SplitMix(state: 20_260_101)
        var counts: [LogCondition: Int] = [:]
        for round in 0..<10_000 {
            var log = logs[round % 2]
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let start = Int.random(in: 0..<max(1, log.count), using: &random)
                let end = min(log.count, start + Int.random(in: 1...900, using: &random))
                switch Int.random(in: 0..<5, using: &random) {
                case 0: log.removeSubrange(start..<end)
                case 1: log.insert(contentsOf: log[start..<end], at: start)
                case 2: for index in start..<end { log[index] = 0 }
                case 3: for index in start..<end { log[index] = .random(in: 0...255, using: &random) }
                default: if start < end { log[start] ^= 1 << UInt8.random(in: 0..<8, using: &random) }
                }
            }
            counts[condition(log), default: 0] += 1
        }
        // All three occur; which one is right is the matter of the other tests.
        #expect(counts.count == 3, "\(counts)")
    }

    /// Repeats in each run.
    private struct SplitMix: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var value = state
            value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
            value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
            return value ^ value >> 31
        }
    }
}
