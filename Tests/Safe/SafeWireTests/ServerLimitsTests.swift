import SafeWire
import Testing
import VectorKit

/// What counts as the `config` of a Safe server.
@Suite struct ServerLimitsTests {
    private func limits(_ config: String) throws(ServerLimitsError) -> ServerLimits {
        try ServerLimits(config: Array(config.utf8).span)
    }

    @Test(arguments: try Vector.all(in: .safeConfig)) func `published configs`(_ vector: Vector) throws {
        let limits = try limits(vector.inputs.string("body"))
        let retention =
            vector.expected.has("effective_retention_days_android")
            ? "effective_retention_days_android" : "retentionDays"
        #expect(try limits.maxBackupBytes == vector.expected.integer("maxBackupBytes"))
        #expect(try limits.retentionDays == vector.expected.integer(retention))
    }

    @Test(arguments: [
        ("1", 1, true), ("180", 180, true), ("3650", 3650, true), ("0", 180, false), ("3651", 180, false),
        ("-1", 180, false), ("18446744073709551796", 180, false),
    ]) func `a parse tells if the retention is in range`(_ literal: String, _ days: Int, _ isInRange: Bool) throws {
        let config = Array(#"{"maxBackupBytes":1,"retentionDays":\#(literal)}"#.utf8)
        let parsed = try ServerLimits.parse(config: config.span)
        #expect(parsed.limits.retentionDays == days && parsed.isRetentionInRange == isInRange)
    }

    @Test(arguments: [
        ("1", 1), ("524288", 524_288), ("2147483647", 2_147_483_647), ("2147483648", 2_147_483_648),
    ]) func `a largest backup of 1 byte to 2 GiB`(_ literal: String, _ bytes: Int) throws {
        let limits = try limits(#"{"maxBackupBytes":\#(literal),"retentionDays":180}"#)
        #expect(limits == ServerLimits(maxBackupBytes: bytes, retentionDays: 180))
    }

    @Test(arguments: [
        "0", "-0", "-1", "2147483649", "4294967296", "9223372036854775807", "9223372036854775808",
        "18446744073709551616", "-9223372036854775809", String(repeating: "9", count: 5000),
    ]) func `a largest backup of no sense is refused`(_ literal: String) {
        #expect(throws: ServerLimitsError.maxBackupBytes) {
            try limits(#"{"maxBackupBytes":\#(literal),"retentionDays":180}"#)
        }
    }

    static let noIntegers = [
        "1.0", "524288.0", "1e5", "1E5", "5.24288e5", "1e400", #""524288""#, "null", "true", "[524288]", "{}", #""""#,
    ]

    @Test(arguments: noIntegers) func `what is no integer is refused`(_ value: String) {
        #expect(throws: ServerLimitsError.missing("maxBackupBytes")) {
            try limits(#"{"maxBackupBytes":\#(value),"retentionDays":180}"#)
        }
        #expect(throws: ServerLimitsError.missing("retentionDays")) {
            try limits(#"{"maxBackupBytes":524288,"retentionDays":\#(value)}"#)
        }
    }

    @Test(arguments: [
        "{}", #"{"retentionDays":180}"#, #"{"maxbackupbytes":524288,"retentionDays":180}"#,
        #"{"MaxBackupBytes":524288,"retentionDays":180}"#, #"{"config":{"maxBackupBytes":1,"retentionDays":1}}"#,
        "[]", "null", "1", #""maxBackupBytes""#, #"[{"maxBackupBytes":524288,"retentionDays":180}]"#,
    ]) func `what is no object with both members is refused`(_ config: String) {
        #expect(throws: ServerLimitsError.missing("maxBackupBytes")) { try limits(config) }
    }

    @Test func `a retention that is missing is refused`() {
        #expect(throws: ServerLimitsError.missing("retentionDays")) { try limits(#"{"maxBackupBytes":524288}"#) }
    }

    @Test(arguments: [
        ("1", 1), ("3650", 3650), ("180", 180), ("0", 180), ("-0", 180), ("-1", 180), ("3651", 180),
        ("9223372036854775807", 180), ("9223372036854775808", 180), ("-99999999999999999999999", 180),
    ]) func `a retention outside of 1 to 3650 days counts as 180`(_ literal: String, _ days: Int) throws {
        let limits = try limits(#"{"maxBackupBytes":524288,"retentionDays":\#(literal)}"#)
        #expect(limits.retentionDays == days)
        if let number = Int64(literal) { #expect(ServerLimits.clampedRetentionDays(number) == days) }
    }

    @Test(arguments: [
        "", " ", "nonsense", "<html><body>Log in</body></html>", "NaN", "Infinity",
        #"{"maxBackupBytes":NaN,"retentionDays":180}"#, #"{"maxBackupBytes":0524288,"retentionDays":180}"#,
        #"{"maxBackupBytes":+1,"retentionDays":180}"#, #"{"maxBackupBytes":0x80,"retentionDays":180}"#,
        #"{"maxBackupBytes":524288,"retentionDays":180"#, #"{"maxBackupBytes":524288,"retentionDays":180,}"#,
        #"{"maxBackupBytes":524288,"retentionDays":180} {}"#, "{maxBackupBytes:524288,retentionDays:180}",
        // Two readers would take different ones of these.
        #"{"maxBackupBytes":524288,"maxBackupBytes":1,"retentionDays":180}"#,
        #"{"maxBackupBytes":524288,"max\u0042ackupBytes":524288,"retentionDays":180}"#,
        "\u{feff}" + #"{"maxBackupBytes":524288,"retentionDays":180}"#,
        #"{"maxBackupBytes":524288,"retentionDays":180,"note":"\u0000"}"#,
    ]) func `what is no JSON is refused`(_ config: String) {
        #expect(throws: ServerLimitsError.notJSON) { try limits(config) }
    }

    @Test func `a config in UTF-16 is no JSON`() {
        let text = #"{"maxBackupBytes":524288,"retentionDays":180}"#
        let bytes = text.utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }
        #expect(throws: ServerLimitsError.notJSON) { try ServerLimits(config: bytes.span) }
    }

    @Test func `other members are ignored, up to a limit`() throws {
        let limits = try limits(
            """
            \t{ "name": "a Safe", "retentionDays" : 30 , "links": [1, {"a": null}, 1e400],
                "max\\u0042ackupBytes" : 1000 }\r\n
            """)
        #expect(limits == ServerLimits(maxBackupBytes: 1000, retentionDays: 30))
        let many = Array(repeating: "0", count: 1000).joined(separator: ",")
        #expect(throws: ServerLimitsError.notJSON) {
            try self.limits(#"{"maxBackupBytes":524288,"retentionDays":180,"x":[\#(many)]}"#)
        }
    }

    @Test(arguments: [20, 1000, 30_000]) func `a config that is nested deeply is refused, not followed`(_ depth: Int) {
        let nest = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        #expect(throws: ServerLimitsError.notJSON) {
            try limits(#"{"x":\#(nest),"maxBackupBytes":524288,"retentionDays":180}"#)
        }
    }

    @Test func `what keytool serves is what it reads`() throws {
        #expect(ServerLimits.standard == ServerLimits(maxBackupBytes: 524_288, retentionDays: 180))
        let config = ServerLimits.standard.config
        #expect(String(decoding: config, as: UTF8.self) == #"{"maxBackupBytes":524288,"retentionDays":180}"#)
        let read = try ServerLimits(config: config.span)
        #expect(read == .standard)
    }

    @Test func `every truncation of a config is refused`() {
        let config = ServerLimits.standard.config
        for count in config.indices {
            #expect(throws: ServerLimitsError.notJSON) { try ServerLimits(config: Array(config[..<count]).span) }
        }
    }
}
