import AtomicFiles
import Foundation
import SecureMemory
import Testing
import VectorKit

@testable import SessionStore
@testable import session_store_run

/// Stores whose last transactions are in a log that a killed program has left.
@Suite(.serialized) struct DamagedLogTests {
    private static let key = Array(UInt8(0)..<32)
    private static let frame = 24 + 4096
    private static let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "session-store-run").path()

    /// A store with the names `0` to `count` - 1 in as many transactions, all of them in its log.
    private func killed(after count: Int, merged: Bool = true) throws -> Scratch {
        let (source, scratch) = (try Scratch(), try Scratch())
        if merged { try source.open().close() }
        let store = try source.open()
        for number in 0..<count { try store.transaction { try $0.set("queue", String(number), "message") } }
        for name in ["sessions.db", "sessions.db-wal"] {
            try FileManager.default.copyItem(atPath: source.at(name), toPath: scratch.at(name))
        }
        store.close()
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

    private func examined(_ scratch: Scratch, id: String = "ABCD1234", key: [UInt8] = key) throws -> StoreCondition {
        try OpenSessionStore.examine(
            in: Directory.open(scratch.path, rule: .secret), messenger: "threema", id: id,
            key: SecureBytes(copying: key.span))
    }

    private func files(_ scratch: Scratch) throws -> [String: [UInt8]] {
        try Dictionary(uniqueKeysWithValues: scratch.names().map { ($0, try scratch.content($0)) })
    }

    private func flip(_ scratch: Scratch, at offset: Int) throws {
        var log = try scratch.content("sessions.db-wal")
        log[offset] ^= 1
        try scratch.overwrite(log, "sessions.db-wal")
    }

    private func expectDamage(_ scratch: Scratch, _ comment: Comment) throws {
        let before = try files(scratch)
        #expect(try examined(scratch) == .damaged, comment)
        for open in openings(scratch) {
            #expect(throws: SessionStoreError.damaged(path: scratch.at("sessions.db")), comment) { try open() }
            let isUnchanged = try files(scratch) == before
            #expect(isUnchanged, comment)
        }
    }

    @Test func `a log with damage before its last transaction is refused, and stays`() throws {
        let scratch = try killed(after: 3)
        let log = try scratch.content("sessions.db-wal")
        try #require(log.count == 32 + 3 * Self.frame)
        for offset in [0, 9, 13, 16, 23, 31, 32, 40, 48, 100, 32 + Self.frame - 1, 32 + Self.frame + 60] {
            try flip(scratch, at: offset)
            try expectDamage(scratch, "byte \(offset)")
            try flip(scratch, at: offset)
        }
        // Undamaged, it is merged by the first that may change it.
        #expect(try openings(scratch).map { try $0() } == [3, 3, 3])
        #expect(try scratch.names() == ["sessions.db"])
        #expect(try examined(scratch) == .copied)
    }

    @Test func `a store whose whole content is in a damaged log is not created again`() throws {
        let scratch = try killed(after: 3, merged: false)
        try flip(scratch, at: 20)
        try expectDamage(scratch, "a store that was never merged")
    }

    @Test func `a last transaction that is torn or damaged is ignored`() throws {
        for cut in [1, 4000, Self.frame - 1] {
            for index in 0..<3 {
                let scratch = try killed(after: 3)
                let log = try scratch.content("sessions.db-wal")
                try scratch.overwrite(log.dropLast(cut), "sessions.db-wal")
                #expect(try openings(scratch)[index]() == 2)
            }
        }
        let scratch = try killed(after: 3)
        try flip(scratch, at: 32 + 3 * Self.frame - 5)
        #expect(try examined(scratch) == .copied)
        #expect(try openings(scratch).map { try $0() } == [2, 2, 2])
    }

    @Test func `a merged store has no log, or an empty one`() throws {
        let scratch = try killed(after: 3)
        #expect(try openings(scratch)[1]() == 3)
        for log in [[], [UInt8](repeating: 0, count: 32)] {
            try Data(log).write(to: URL(filePath: scratch.at("sessions.db-wal")))
            chmod(scratch.at("sessions.db-wal"), 0o600)
            #expect(try examined(scratch) == .copied)
            #expect(try openings(scratch).map { try $0() } == [3, 3, 3])
        }
    }

    @Test func `a log that cannot be used as one is not read`() throws {
        let scratch = try killed(after: 3)
        chmod(scratch.at("sessions.db-wal"), 0o644)
        for open in openings(scratch) {
            #expect(throws: SessionStoreError.file(.exposed(path: scratch.at("sessions.db-wal"), mode: 0o644))) {
                try open()
            }
        }
    }

    // MARK: Beside a writer

    /// Starts a program that sends messages; or one of another author that does not open the file for itself alone, and
    /// begins its log again at times.
    private func writer(_ scratch: Scratch, isForeign: Bool) throws -> Process {
        let process = Process()
        let foreign = """
            import sqlite3, sys, time
            database = sqlite3.connect(sys.argv[1], isolation_level=None)
            database.execute("PRAGMA wal_autocheckpoint = 7")
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
        while ContinuousClock.now < end {
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
