import AtomicFiles
import Console

/// A file in Prometheus' text format, for the textfile collector of its node exporter.
///
/// It is written by rename, so that nobody reads half of it, and readable by all, because the collector is somebody
/// else. What a run does not learn (the size, when nothing was uploaded) stays as an earlier run has left it.
struct MetricsFile {
    private let file: ResultFile
    private let labels: String
    private let subject: Subject

    /// What the metrics are about. A file has those of one subject.
    enum Subject: String {
        case safe = "keytool_safe_"
        case safeCheck = "keytool_safe_check_"
        case archiveCheck = "keytool_archive_check_"
        case contacts = "keytool_contact_check_"
    }

    /// Much more than such a file has.
    private static let maxBytes = 65_536

    /// Each is one line; times are in seconds since 1970.
    enum Gauge: String, CaseIterable {
        case lastSuccess = "last_success_timestamp_seconds"
        case lastAttempt = "last_attempt_timestamp_seconds"
        case lastExitCode = "last_exit_code"
        case bytes = "backup_bytes"
        case limit = "backup_limit_bytes"
        case expiry = "backup_expires_timestamp_seconds"
        case revoked
        case otherKeys = "other_keys"

        fileprivate var help: String {
            switch self {
            case .lastSuccess: "Time of the last run that succeeded; 0 for never."
            case .lastAttempt: "Time of the last run."
            case .lastExitCode: "Exit code of the last run, including tolerated failures."
            case .bytes: "Size of the backup that was last uploaded or fetched."
            case .limit: "Largest backup that the server accepts."
            case .expiry: "Time after which the server may delete the backup."
            case .revoked: "Number of contacts that were revoked and are not acknowledged."
            case .otherKeys: "Number of identities with another key at the directory."
            }
        }
    }

    /// - Throws: `UsageFailure` for stdout; `ResultFileError` where no file can be written there.
    init(_ path: String, about subject: Subject = .safe, outside reserved: ReservedDirectory?, alias: String?) throws {
        guard path != "-" else { throw UsageFailure("metrics are written to a file, not to stdout") }
        self.subject = subject
        file = try ResultFile(path, mayReplace: true, old: .any, outside: reserved, readers: .everybody)
        labels = alias.map { "{alias=\"\(Self.escaped($0))\"}" } ?? ""
    }

    /// - Throws: `UsageFailure` where something else stands there; `ResultFileError`. Then it still does.
    func update(_ values: [Gauge: Int64], now: Int64) throws {
        var values = try parse(earlier).merging(values) { _, new in new }
        // A success in the future is a clock that was wrong then or is wrong now. Never is a time that every alarm
        // takes for too long ago.
        if values[.lastSuccess] ?? .max > now { values[.lastSuccess] = 0 }
        let lines = Gauge.allCases.flatMap { gauge in
            guard let value = values[gauge] else { return [] as [String] }
            let name = name(gauge)
            return ["\(Self.help) \(name) \(gauge.help)", "# TYPE \(name) gauge", "\(name)\(labels) \(value)"]
        }
        let text = Array(lines.map { $0 + "\n" }.joined().utf8)
        try file.write(text.span)
    }

    private static let help = "# HELP"

    private func name(_ gauge: Gauge) -> String { subject.rawValue + gauge.rawValue }

    /// What stands there: nothing, or what an earlier run wrote.
    private var earlier: String {
        get throws {
            let file = InputFile(plainFile: file.path)
            let text = try self.file.isNew ? "" : file.read(limit: Self.maxBytes)
            guard text.isEmpty || text.hasPrefix("\(Self.help) \(name(.lastSuccess)) ") else {
                throw UsageFailure(
                    "\(self.file.path) was not written by --metrics-file of this command and was not replaced")
            }
            return text
        }
    }

    /// The values that a file of ours holds under the same alias; lines of any other kind say nothing.
    private func parse(_ text: String) -> [Gauge: Int64] {
        var values: [Gauge: Int64] = [:]
        for line in text.split(separator: "\n") {
            for gauge in Gauge.allCases where line.hasPrefix(name(gauge) + labels + " ") {
                values[gauge] = line.split(separator: " ").last.flatMap { Int64($0) }
            }
        }
        return values
    }

    /// As the format wants the value of a label. By scalars: a quote with an accent is a quote.
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar {
            case "\\": "\\\\"
            case "\"": "\\\""
            case "\n": "\\n"
            default: String(scalar)
            }
        }.joined()
    }
}
