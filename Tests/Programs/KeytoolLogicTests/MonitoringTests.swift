import Foundation
import Testing

@testable import keytool

@Suite struct MonitoringTests {
    private static func withFile(_ earlier: String?, _ body: (String) throws -> Void) throws {
        let path = NSTemporaryDirectory() + "metrics-\(UUID().uuidString)"
        try earlier?.write(toFile: path, atomically: false, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(path)
    }

    private static func values(_ path: String) throws -> [String] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }
            .map(String.init)
    }

    @Test func `what a run does not learn stays`() throws {
        try Self.withFile(nil) { path in
            try MetricsFile(path, outside: nil, alias: nil).update(
                [.lastSuccess: 100, .lastExitCode: 0, .bytes: 7], now: 100)
            try MetricsFile(path, outside: nil, alias: nil).update([.lastExitCode: 75, .lastAttempt: 200], now: 200)
            #expect(
                try Self.values(path) == [
                    "keytool_safe_last_success_timestamp_seconds 100",
                    "keytool_safe_last_attempt_timestamp_seconds 200", "keytool_safe_last_exit_code 75",
                    "keytool_safe_backup_bytes 7",
                ])
        }
    }

    @Test func `a success in the future is none`() throws {
        try Self.withFile(nil) { path in
            try MetricsFile(path, outside: nil, alias: nil).update([.lastSuccess: 300], now: 300)
            try MetricsFile(path, outside: nil, alias: nil).update([:], now: 299)
            #expect(try Self.values(path) == ["keytool_safe_last_success_timestamp_seconds 0"])
        }
    }

    @Test func `an alias is a label, and another one's values are not ours`() throws {
        try Self.withFile(nil) { path in
            try MetricsFile(path, outside: nil, alias: "a\"b\\c\n").update([.lastSuccess: 1, .bytes: 5], now: 2)
            #expect(try Self.values(path)[0] == #"keytool_safe_last_success_timestamp_seconds{alias="a\"b\\c\n"} 1"#)
            try MetricsFile(path, outside: nil, alias: "other").update([.lastSuccess: 2], now: 2)
            #expect(try Self.values(path) == [#"keytool_safe_last_success_timestamp_seconds{alias="other"} 2"#])
        }
    }

    @Test func `another's file is not replaced`() throws {
        try Self.withFile("# my notes\n") { (path) throws in
            #expect(throws: (any Error).self) {
                try MetricsFile(path, outside: nil, alias: nil).update([.bytes: 1], now: 1)
            }
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "# my notes\n")
        }
    }

    @Test(arguments: [
        (301, "5 minutes ahead of this machine's"), (-301, "5 minutes behind this machine's"),
        (7199, "119 minutes ahead of this machine's"), (7200, "2 hours ahead of this machine's"),
        (-172_799, "47 hours behind this machine's"), (172_800, "2 days ahead of this machine's"),
    ])
    func `a clock that is wrong`(_ seconds: Int, _ words: String) {
        #expect(ClockDifference(lead: .seconds(seconds))?.words == words)
    }

    @Test func `a clock that may be right`() {
        for lead in [nil, Duration.zero, .seconds(300), .seconds(-300)] {
            #expect(ClockDifference(lead: lead) == nil)
        }
    }
}
