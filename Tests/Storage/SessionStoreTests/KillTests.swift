import AtomicFiles
import Foundation
import SecureMemory
import Testing
import VectorKit

@testable import SessionStore
@testable import session_store_run

/// The program of this package that uses a store, killed at each of its calls that change files.
@Suite(.serialized) struct KillTests {
    private static let calls =
        "openat,write,pwrite64,fsync,fdatasync,ftruncate,fallocate,rename,renameat,renameat2,unlink,unlinkat,fchmod,fcntl"
    private static let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "session-store-run").path()

    private static let canTrace = (try? Program.run("/usr/bin/strace", "-o", "/dev/null", "true")) == 0

    /// The calls that change files, each with how many of its name came before.
    private func points(
        _ scratch: Scratch, _ verb: String = "send", _ count: Int = 3
    ) throws -> [(call: String, nth: Int)] {
        let log = scratch.path + ".trace"
        defer { try? FileManager.default.removeItem(atPath: log) }
        let arguments = ["-qq", "-o", log, "-e", "trace=" + Self.calls, Self.program, scratch.path, verb, "\(count)"]
        _ = try Program.output(of: "/usr/bin/strace", arguments)
        var seen: [String: Int] = [:]
        var points: [(String, Int)] = []
        for line in try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n") {
            let call = String(line.prefix { $0 != "(" })
            seen[call, default: 0] += 1
            let isReading =
                call == "openat" && !line.contains("O_CREAT") || call == "fcntl" && !line.contains("F_SETLK")
            // What is printed: the transaction is made, and the next one not yet begun.
            if isReading { continue }
            points.append((call, seen[call]!))
        }
        return points
    }

    /// - Returns: what the program printed.
    private func kill(
        _ scratch: Scratch, at point: (call: String, nth: Int), _ verb: String = "send", _ count: Int = 3
    ) throws -> [Int] {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/strace")
        process.arguments = [
            "-qq", "-o", "/dev/null", "-e", "trace=\(point.call)", "-e",
            "inject=\(point.call):signal=SIGKILL:when=\(point.nth)", Self.program, scratch.path, verb, "\(count)",
        ]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let printed = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        try #require(process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL)
        return String(decoding: printed, as: UTF8.self).split(separator: "\n").compactMap { Int($0) }
    }

    /// Opens what the killed program left, and expects whole messages: at least those that were printed.
    private func expectWhole(_ scratch: Scratch, atLeast printed: Int, _ point: (call: String, nth: Int)) throws {
        let store = try SessionStoreRun.open(scratch.path)
        #expect(store.origin != .copied)
        let sent = try SessionStoreRun.sent(store)
        let counts = try [store.count(of: "queue"), store.count(of: "nonce")]
        #expect(counts == [sent, sent], "\(point)")
        #expect(sent >= printed, "\(point)")
        for number in 1...max(sent, 1) where number <= sent {
            #expect(throws: ReplayError.replayed, "\(point)") {
                try store.transaction { try SessionStoreRun.replay.remember(SessionStoreRun.nonce(number), in: $0) }
            }
        }
        store.close()
        // The next run goes on from there.
        let output = try Program.output(of: Self.program, [scratch.path, "send", "1"])
        #expect(String(decoding: output, as: UTF8.self) == "\(sent + 1)\n")
    }

    @Test(.enabled(if: canTrace, "needs to trace processes"), arguments: [0, 3])
    func `killed at any call, a message is stored with nonce and session, or not at all`(before: Int) throws {
        func prepared() throws -> Scratch {
            let scratch = try Scratch()
            if before > 0 { _ = try Program.output(of: Self.program, [scratch.path, "send", String(before)]) }
            return scratch
        }
        let points = try points(prepared())
        #expect(points.count > 20)
        for point in points {
            let scratch = try prepared()
            let printed = try kill(scratch, at: point)
            try expectWhole(scratch, atLeast: printed.last ?? before, point)
        }
    }

    /// The sealed values of a store, read by another program's SQLite.
    private func sealed(_ scratch: Scratch) throws -> Set<String> {
        Set(try scratch.sql("SELECT sealed FROM value"))
    }

    /// Opens what the killed program left, and expects a whole commit, and that nothing else is on the disk.
    /// - Returns: the number of the commit.
    private func expectErased(
        _ scratch: Scratch, _ former: [UInt8], _ values: Set<String>, atLeast printed: Int, _ comment: Comment
    ) throws -> Int {
        let left = try scratch.everyFile()
        let key = SecureBytes(copying: [UInt8](repeating: 0x5a, count: 32).span)
        let reading = try OpenSessionStore(
            readingIn: Directory.open(scratch.path, rule: .secret), messenger: "threema", id: SessionStoreRun.id,
            key: key)
        let shown = try SessionStoreRun.sent(reading)
        reading.close()
        var isSame = try scratch.everyFile() == left
        #expect(isSame, comment)
        let store = try SessionStoreRun.open(scratch.path)
        let sent = try SessionStoreRun.sent(store)
        #expect(sent == shown && sent >= printed, comment)
        let files = try scratch.everyFile()
        #expect(files["sessions.db-journal"]?.allSatisfy { $0 == 0 } ?? true, comment)
        store.close()
        #expect(try scratch.names() == ["sessions.db"], comment)
        let dead = DeadValues()
        for value in try values.subtracting(sealed(scratch)) { dead.add([UInt8](hex: value)!) }
        #expect(dead.found(in: files) == [], comment)
        if sent == 8 {
            isSame = try scratch.content() == former
            #expect(isSame, comment)
        }
        _ = try Program.output(of: Self.program, [scratch.path, "churn", "1"])
        #expect(try scratch.sql("PRAGMA integrity_check") == ["ok"], comment)
        return sent
    }

    @Test(.enabled(if: canTrace, "needs to trace processes"))
    func `killed at any call, the next opening leaves nothing of what was replaced or not committed`() throws {
        func prepared() throws -> Scratch {
            let scratch = try Scratch()
            _ = try Program.output(of: Self.program, [scratch.path, "churn", "8"])
            return scratch
        }
        let points = try points(prepared(), "churn", 2)
        #expect(points.count > 80)
        var (rolledBack, committed) = (0, 0)
        // Of the many pages that are written one after the other, some.
        let step = triesAllCases ? 1 : 4
        for (index, point) in points.enumerated() where point.call != "pwrite64" || index % step == 0 {
            let scratch = try prepared()
            let (former, values) = (try scratch.content(), try sealed(scratch))
            let printed = try kill(scratch, at: point, "churn", 2)
            let sent = try expectErased(scratch, former, values, atLeast: printed.last ?? 8, "\(point)")
            if sent == 8 { rolledBack += 1 } else { committed += 1 }
        }
        #expect(rolledBack > 10 && committed > 10)
    }
}
