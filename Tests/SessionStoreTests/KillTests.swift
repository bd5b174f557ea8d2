import Foundation
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
    private func points(_ scratch: Scratch) throws -> [(call: String, nth: Int)] {
        let log = scratch.path + ".trace"
        defer { try? FileManager.default.removeItem(atPath: log) }
        let arguments = ["-qq", "-o", log, "-e", "trace=" + Self.calls, Self.program, scratch.path, "send", "3"]
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
    private func kill(_ scratch: Scratch, at point: (call: String, nth: Int)) throws -> [Int] {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/strace")
        process.arguments = [
            "-qq", "-o", "/dev/null", "-e", "trace=\(point.call)", "-e",
            "inject=\(point.call):signal=SIGKILL:when=\(point.nth)", Self.program, scratch.path, "send", "3",
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
}
