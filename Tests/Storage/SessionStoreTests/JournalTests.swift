import AtomicFiles
import Foundation
import SecureMemory
import Testing
import VectorKit

@testable import SessionStore
@testable import session_store_run

/// Stores whose last transaction was interrupted: a program was killed while it wrote the file.
@Suite(.serialized) struct JournalTests {
    private static let key = Array(UInt8(0)..<32)
    private static let (sector, page) = (512, 4096)
    private static let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "session-store-run").path()

    /// The file before and after a transaction that adds two messages to ten, and removes one.
    private func transaction() throws -> (former: [UInt8], later: [UInt8]) {
        let scratch = try Scratch()
        var store = try scratch.open()
        let message = String(repeating: "message", count: 200)
        for number in 0..<10 { try store.transaction { try $0.set("queue", String(number), message) } }
        store.close()
        let former = try scratch.content()
        store = try scratch.open()
        try store.transaction {
            for number in 10..<12 { try $0.set("queue", String(number), message) }
            try $0.remove("queue", [0x33])
        }
        store.close()
        return (former, try scratch.content())
    }

    /// The journal of a transaction, as SQLite documents it (fileformat2.html, 3).
    private func journal(_ former: [UInt8], _ later: [UInt8]) -> [UInt8] {
        func bytes(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }
        let nonce = 0x0102_0304
        let pages = stride(from: 0, to: former.count, by: Self.page).map { Array(former[$0..<$0 + Self.page]) }
        var (records, count): ([UInt8], Int) = ([], 0)
        for (index, page) in pages.enumerated() where later[(index * Self.page)...].prefix(Self.page) != page[...] {
            let sum = stride(from: Self.page - 200, to: 0, by: -200).reduce(nonce) { $0 + Int(page[$1]) }
            records += bytes(index + 1) + page + bytes(sum)
            count += 1
        }
        let header =
            [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7] + bytes(count) + bytes(nonce) + bytes(pages.count)
            + bytes(Self.sector) + bytes(Self.page)
        return header + [UInt8](repeating: 0, count: Self.sector - header.count) + records
    }

    private func killed(_ file: [UInt8], _ journal: [UInt8]) throws -> Scratch {
        let scratch = try Scratch()
        for (name, content) in [("sessions.db", file), ("sessions.db-journal", journal)] {
            try Data(content).write(to: URL(filePath: scratch.at(name)))
            chmod(scratch.at(name), 0o600)
        }
        return scratch
    }

    /// The ways to open a store; they return how many messages it has.
    private func openings(_ scratch: Scratch) -> [() throws -> Int] {
        func messages(_ open: (borrowing Directory, borrowing SecureBytes) throws -> OpenSessionStore) throws -> Int {
            let store = try open(Directory.open(scratch.path, rule: .secret), SecureBytes(copying: Self.key.span))
            defer { store.close() }
            return try store.count(of: "queue")
        }
        return [
            {
                try messages {
                    try OpenSessionStore(readingIn: $0, messenger: "threema", id: "ABCD1234", key: $1)
                }
            },
            {
                try messages {
                    try OpenSessionStore(existingIn: $0, messenger: "threema", id: "ABCD1234", key: $1)
                }
            },
            { try messages { try OpenSessionStore(in: $0, messenger: "threema", id: "ABCD1234", key: $1) } },
        ]
    }

    private func examined(_ scratch: Scratch) throws -> StoreCondition {
        try OpenSessionStore.examine(
            in: Directory.open(scratch.path, rule: .secret), messenger: "threema", id: "ABCD1234",
            key: SecureBytes(copying: Self.key.span))
    }

    private func expectDamage(_ scratch: Scratch, _ comment: Comment) throws {
        let before = try scratch.everyFile()
        #expect(try examined(scratch) == .damaged, comment)
        for open in openings(scratch) {
            #expect(throws: SessionStoreError.damaged(path: scratch.at("sessions.db")), comment) { try open() }
        }
        let isUnchanged = try scratch.everyFile() == before
        #expect(isUnchanged, comment)
    }

    /// Readers see the last commit and change nothing; writers restore it, and leave nothing of the rest.
    private func expectRestored(_ scratch: Scratch, _ former: [UInt8], _ comment: Comment) throws {
        let before = try scratch.everyFile()
        for _ in 0..<2 {
            #expect(try examined(scratch) == .copied, comment)
            #expect(try openings(scratch)[0]() == 10, comment)
        }
        var isSame = try scratch.everyFile() == before
        #expect(isSame, comment)
        #expect(try openings(scratch)[1]() == 10, comment)
        isSame = try scratch.everyFile() == ["sessions.db": former]
        #expect(isSame, comment)
    }

    // MARK: Whole journals

    @Test func `a file that was written in part shows and becomes what it was before`() throws {
        let (former, later) = try transaction()
        let journal = journal(former, later)
        try #require(later.count > former.count && journal.count > Self.sector + 3 * (Self.page + 8))
        for written in stride(from: 0, through: later.count, by: Self.page) {
            let file = later.prefix(written) + former.dropFirst(written)
            try expectRestored(killed(Array(file), journal), former, "\(written) bytes")
        }
    }

    @Test func `a journal of many parts, of a program whose memory was short`() throws {
        let (former, _) = try transaction()
        let scratch = try killed(former, [])
        let program = """
            import os, signal, sqlite3, sys
            database = sqlite3.connect(sys.argv[1], isolation_level=None)
            database.execute("PRAGMA cache_size = 1")
            database.execute("BEGIN")
            database.execute("UPDATE value SET sealed = randomblob(3000)")
            database.execute("DELETE FROM value WHERE kind = 'queue'")
            os.kill(os.getpid(), signal.SIGKILL)
            """
        #expect(try Program.run("/usr/bin/python3", "-c", program, scratch.at("sessions.db")) != 0)
        let journal = try scratch.content("sessions.db-journal")
        let magic = Data([0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7])
        let second = try #require(Data(journal).range(of: magic, in: 8..<journal.count))
        try #require(try scratch.content() != former)
        var damaged = journal
        damaged[second.lowerBound] ^= 1
        try scratch.overwrite(damaged, "sessions.db-journal")
        try expectDamage(scratch, "the second header")
        try scratch.overwrite(journal, "sessions.db-journal")
        try expectRestored(scratch, former, "many parts")
    }

    @Test func `a store whose first transaction was interrupted is empty`() throws {
        let (former, _) = try transaction()
        let scratch = try killed(former, Array(journal([], []).prefix(20)) + [0, 0, 2, 0, 0, 0, 16, 0])
        let journal = try scratch.content("sessions.db-journal")
        let padding = [UInt8](repeating: 0, count: Self.sector - journal.count)
        try scratch.overwrite(journal + padding, "sessions.db-journal")
        #expect(try examined(scratch) == .emptied)
        #expect(try openings(scratch)[2]() == 0)
    }

    @Test func `a journal that was not synced, or whose transaction has ended, is erased`() throws {
        let (former, later) = try transaction()
        let journal = journal(former, later)
        for zeros in [12, 28, Self.sector, Self.sector + 1000, journal.count] {
            let rest = [UInt8](repeating: 0, count: zeros) + journal.dropFirst(zeros)
            for kept in [rest.count, rest.count - 1, Self.sector, 100, 12, 1, 0] {
                let scratch = try killed(later, Array(rest.prefix(kept)))
                let before = try scratch.everyFile()
                #expect(try examined(scratch) == .copied)
                #expect(try openings(scratch)[0]() == 11)
                var isSame = try scratch.everyFile() == before
                #expect(isSame)
                let store = try scratch.open()
                #expect(try scratch.content("sessions.db-journal").allSatisfy { $0 == 0 }, "\(zeros), \(kept)")
                store.close()
                isSame = try scratch.everyFile() == ["sessions.db": later]
                #expect(isSame)
            }
        }
    }

    // MARK: Damaged journals

    @Test func `a journal with damage is refused, and stays`() throws {
        let (former, later) = try transaction()
        let journal = journal(former, later)
        let scratch = try killed(later, journal)
        let record = Self.page + 8
        var places = (0..<28).flatMap { byte in (0..<8).map { (byte, $0) } }
        for start in stride(from: Self.sector, to: journal.count, by: record) {
            places += (0..<32).map { (start + 4 + Self.page + $0 / 8, $0 % 8) }
            places += [(start, 7), (start + 4 + 96, 0), (start + 4 + 3896, 3)]
        }
        for (offset, bit) in places {
            var damaged = journal
            damaged[offset] ^= 1 << bit
            try scratch.overwrite(damaged, "sessions.db-journal")
            try expectDamage(scratch, "byte \(offset), bit \(bit)")
        }
        for count in [1, 8, 12, 28, Self.sector - 1, Self.sector, Self.sector + record, journal.count - 1] {
            try scratch.overwrite(Array(journal.prefix(count)), "sessions.db-journal")
            try expectDamage(scratch, "\(count) bytes")
        }
        // The same page twice.
        var twice = journal
        twice.replaceSubrange(
            Self.sector + record..<Self.sector + 2 * record, with: journal[Self.sector...].prefix(record))
        try scratch.overwrite(twice, "sessions.db-journal")
        try expectDamage(scratch, "a page twice")
        try scratch.overwrite(journal, "sessions.db-journal")
        try expectRestored(scratch, former, "undamaged")
    }

    @Test func `a journal that this program wrote is refused whatever byte is damaged`() throws {
        let (former, _) = try transaction()
        let source = try killed(former, [])
        let key = SecureBytes(copying: Self.key.span)
        let store = try OpenSessionStore(
            existingIn: Directory.open(source.path, rule: .secret), messenger: "threema", id: "ABCD1234", key: key)
        struct Refused: Error {}
        var scratch = source
        #expect(throws: Refused.self) {
            // More than SQLite keeps in memory, so that it writes the file before the end.
            try store.adopt { changes in
                try changes.removeAll("queue")
                let value = [UInt8](repeating: 1, count: 20_000)
                for number in 0..<250 { try changes.set("queue", [UInt8(number)], value.span) }
                scratch = try killed(source.content(), source.content("sessions.db-journal"))
                throw Refused()
            }
        }
        let journal = try scratch.content("sessions.db-journal")
        let count = journal[8..<12].reduce(0) { $0 << 8 | Int($1) }
        let end = Self.sector + count * (Self.page + 8)
        try #require(count > 3 && journal[28..<36].contains { $0 != 0 })
        for offset in Array(0..<36) + stride(from: Self.sector, to: end, by: 89) + [Self.sector + 3, end - 1] {
            var damaged = journal
            damaged[offset] ^= 1 << UInt8(offset % 8)
            try scratch.overwrite(damaged, "sessions.db-journal")
            try expectDamage(scratch, "byte \(offset)")
        }
        try scratch.overwrite(journal, "sessions.db-journal")
        try expectRestored(scratch, former, "undamaged")
    }

    @Test func `a journal beside an emptied file is not removed`() throws {
        let (former, later) = try transaction()
        let scratch = try killed([], journal(former, later))
        let before = try scratch.everyFile()
        #expect(try examined(scratch) == .emptied)
        for open in openings(scratch) {
            #expect(throws: SessionStoreError.damaged(path: scratch.at("sessions.db"))) { try open() }
        }
        let isUnchanged = try scratch.everyFile() == before
        #expect(isUnchanged)
    }

    @Test func `a journal that cannot be used as one is not read`() throws {
        let (former, later) = try transaction()
        let scratch = try killed(later, journal(former, later))
        chmod(scratch.at("sessions.db-journal"), 0o644)
        for open in openings(scratch) {
            #expect(throws: SessionStoreError.file(.exposed(path: scratch.at("sessions.db-journal"), mode: 0o644))) {
                try open()
            }
        }
    }

    // MARK: Beside a writer

    /// Starts a program that sends messages; or one of another author that does not open the file for itself alone.
    private func writer(_ scratch: Scratch, isForeign: Bool) throws -> Process {
        let process = Process()
        let foreign = """
            import sqlite3, sys, time
            database = sqlite3.connect(sys.argv[1], isolation_level=None)
            while True:
                database.execute("INSERT OR REPLACE INTO value VALUES ('other', randomblob(16), randomblob(99))")
            """
        process.executableURL = URL(filePath: isForeign ? "/usr/bin/python3" : Self.program)
        process.arguments = isForeign ? ["-c", foreign, scratch.at("sessions.db")] : [scratch.path, "send", "9999"]
        // One that meets a reader ends at once.
        process.environment = ["SWIFT_BACKTRACE": "enable=no"]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    @Test(arguments: [false, true]) func `beside writers that are killed nothing looks damaged`(isForeign: Bool)
        throws
    {
        let scratch = try Scratch()
        _ = try Program.output(of: Self.program, [scratch.path, "send", "1"])
        var (sound, busy, sent) = (0, 0, 0)
        func count(_ open: (borrowing Directory, borrowing SecureBytes) throws -> OpenSessionStore) throws {
            do {
                let key = SecureBytes(copying: [UInt8](repeating: 0x5a, count: 32).span)
                let store = try open(Directory.open(scratch.path, rule: .secret), key)
                let now = try SessionStoreRun.sent(store)
                store.close()
                #expect(now >= sent)
                (sound, sent) = (sound + 1, now)
            } catch SessionStoreError.busy {
                busy += 1
            }
        }
        let end = ContinuousClock.now + .seconds(4)
        while ContinuousClock.now < end || (sound <= 4 || busy <= 4) && ContinuousClock.now < end + .seconds(60) {
            let process = try writer(scratch, isForeign: isForeign)
            for round in 0..<12 {
                usleep(10_000)
                try count { try OpenSessionStore(readingIn: $0, messenger: "threema", id: "ABCD1234", key: $1) }
                if round == 11 { kill(process.processIdentifier, SIGKILL) }
            }
            process.waitUntilExit()
            // What the killed one left is read, and merged every other time.
            try count { try OpenSessionStore(readingIn: $0, messenger: "threema", id: "ABCD1234", key: $1) }
            if Bool.random() {
                try count { try OpenSessionStore(existingIn: $0, messenger: "threema", id: "ABCD1234", key: $1) }
            }
        }
        #expect(sound > 4 && busy > 4, "\(sound) sound, \(busy) busy")
    }
}
