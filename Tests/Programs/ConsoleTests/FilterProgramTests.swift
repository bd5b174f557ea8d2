import Foundation
import Testing

@testable import Console

@Suite struct FilterProgramTests {
    private static func run(
        _ script: String, on content: String = "content", timeLimit: Duration = .seconds(20), maxBytes: Int = 1000
    ) throws -> (output: String, end: ChildProcess.End) {
        let path = NSTemporaryDirectory() + "filter-\(UUID().uuidString)"
        try content.write(toFile: path, atomically: false, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let program = FilterProgram(
            "/bin/sh", ["-c", script], variables: ["ONLY": "this"], timeLimit: timeLimit, maxBytes: maxBytes)
        let result = try program.run(on: PlainFile(path))
        return (String(decoding: result.output, as: UTF8.self), result.end)
    }

    @Test func `reads the file and prints`() throws {
        let (output, end) = try Self.run("cat; echo $ONLY; echo lost >&2")
        #expect(output == "contentthis\n")
        #expect(end == .exited(0))
    }

    @Test func `its end is not an error`() throws {
        #expect(try Self.run("exit 3").end == .exited(3))
        #expect(try Self.run("kill -9 $$").end == .killed(9))
    }

    @Test func `limits`() throws {
        #expect {
            try Self.run("sleep 60", timeLimit: .milliseconds(100))
        } throws: {
            if case .timedOut? = $0 as? FilterProgram.Failed { true } else { false }
        }
        #expect {
            try Self.run("while :; do echo more; done", maxBytes: 100)
        } throws: {
            if case .tooMuch? = $0 as? FilterProgram.Failed { true } else { false }
        }
    }

    @Test func `only plain files are opened`() {
        #expect {
            _ = try PlainFile("/dev/null")
        } throws: {
            if case .notPlain? = $0 as? PlainFileError { true } else { false }
        }
        #expect {
            _ = try PlainFile("/nonexistent")
        } throws: {
            if case .notReadable(code: 2)? = $0 as? PlainFileError { true } else { false }
        }
    }
}
