import ArgumentParser
import Console
import Encodings
import ThreemaKeeping
import SafeWire

/// Who is told how a run ended: a file for Prometheus, and a service that misses what does not report.
///
/// Neither keeps a backup from being made, nor changes how the command ends: what goes wrong with them is a warning.
struct MonitoringOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Write the result to this file, in the format of Prometheus' textfile collector.", valueName: "file"),
        completion: .file())
    var metricsFile: String?

    @Option(
        help: ArgumentHelp("The label of the metrics. The ID is never written.", valueName: "name"))
    var alias: String?

    @Option(
        help: ArgumentHelp(
            "Report to the monitoring service whose https:// address is in this file: /start, then /<exit code>.",
            valueName: "file"),
        completion: .file())
    var pingUrlFile: String?

    func validate() throws {
        guard alias?.hasControlCharacter != true else { throw ValidationError("--alias contains a control character") }
        guard alias == nil || metricsFile != nil else { throw ValidationError("--alias requires --metrics-file") }
    }

    /// Does the work between two messages to the monitoring service.
    /// - Parameter reserved: where the file of metrics may not be.
    func monitored(
        _ subject: MetricsFile.Subject, outside reserved: ReservedDirectory?, _ output: Output,
        _ work: (inout RunReport) throws -> Void
    ) throws {
        let ping = pingUrlFile.flatMap { file in warning(output) { try Ping(urlFile: file) } }
        ping?.start(output)
        var report = RunReport()
        defer {
            if let metricsFile {
                let now = WallClock.now().milliseconds / 1000
                warning(output) {
                    try MetricsFile(metricsFile, about: subject, outside: reserved, alias: alias)
                        .update(report.gauges(now), now: now)
                }
            }
            ping?.end(report.exitCode, output)
        }
        do {
            try work(&report)
        } catch OutputError.readerLeft {
            // That nobody reads the result says nothing of the work.
            throw OutputError.readerLeft
        } catch {
            report.failure = Failure(error)
            throw error
        }
    }

    @discardableResult
    private func warning<Result>(_ output: Output, _ body: () throws -> Result) -> Result? {
        do {
            return try body()
        } catch {
            output.warn(Failure(error).message)
            return nil
        }
    }
}

/// How a run for one identity or several went, whatever its exit code says of it.
struct RunReport {
    /// The first thing that went wrong, tolerated or not.
    var failure: Failure?
    // Of several backups the one that is worst off: the largest, with the smallest limit, and first to expire.
    private var bytes: Int?
    private var limit: Int?
    private var expiresAt: Timestamp?
    // Of the contacts of all identities.
    private var revoked: Int?
    private var otherKeys: Int?

    var exitCode: Int32 { failure?.status.rawValue ?? 0 }

    /// Adds the backup of one identity. Nil stands for what is not known.
    mutating func enter(bytes: Int?, limit: ServerLimits? = nil, expiresAt: Timestamp? = nil) {
        self.bytes = [self.bytes, bytes].compactMap { $0 }.max()
        self.limit = [self.limit, limit?.maxBackupBytes].compactMap { $0 }.min()
        self.expiresAt = [self.expiresAt, expiresAt].compactMap { $0 }.min()
    }

    /// Adds what is known of the contacts of one identity.
    mutating func enter(_ findings: ContactFindings) {
        revoked = (revoked ?? 0) + findings.count { $0.kind == .revoked(isAcknowledged: false) }
        otherKeys = (otherKeys ?? 0) + findings.count { $0.kind.name == "other_key" }
    }

    func gauges(_ now: Int64) -> [MetricsFile.Gauge: Int64] {
        [
            .lastAttempt: now,
            .lastExitCode: Int64(exitCode),
            .lastSuccess: failure == nil ? now : nil,
            .bytes: bytes.map { Int64($0) },
            .limit: limit.map { Int64($0) },
            .expiry: expiresAt.map { $0.milliseconds / 1000 },
            .revoked: revoked.map { Int64($0) },
            .otherKeys: otherKeys.map { Int64($0) },
        ].compactMapValues { $0 }
    }
}
