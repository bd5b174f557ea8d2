import ArgumentParser
import Console
import Encodings
import ThreemaKeeping
import SafeRules
import SafeWire

/// Who is told how a push ended: a file for Prometheus, and a service that misses what does not report.
///
/// Neither keeps a backup from being made, nor changes how the command ends: what goes wrong with them is a warning.
struct MonitoringOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Write the result to this file, in the format of Prometheus' textfile collector.", valueName: "file"),
        completion: .file())
    var metricsFile: String?

    @Option(
        help: ArgumentHelp("The name of the backup in the metrics. The ID is never written.", valueName: "name"))
    var alias: String?

    @Option(
        help: ArgumentHelp(
            "Report to the monitoring service whose https:// address is in this file: /start, then /<exit code>.",
            valueName: "file"),
        completion: .file())
    var pingUrlFile: String?

    func validate() throws {
        guard alias?.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) != true else {
            throw ValidationError("--alias contains a control character")
        }
        guard alias == nil || metricsFile != nil else { throw ValidationError("--alias requires --metrics-file") }
    }

    /// Does the work between two messages to the monitoring service.
    func monitored(_ output: Output, _ work: (inout PushReport) throws -> Void) throws {
        let ping = pingUrlFile.flatMap { file in warning(output) { try Ping(urlFile: file) } }
        ping?.start(output)
        var report = PushReport()
        defer {
            if let metricsFile {
                let now = WallClock.now().milliseconds / 1000
                warning(output) { try MetricsFile(metricsFile, alias: alias).update(report.gauges(now), now: now) }
            }
            ping?.end(report.exitCode, output)
        }
        do {
            try work(&report)
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

/// How a run of push went, whatever its exit code says of it.
struct PushReport {
    var results: [SafeKeeper.PushResult] = []
    /// The first thing that went wrong, tolerated or not.
    var failure: Failure?

    var exitCode: Int32 { failure?.status.rawValue ?? 0 }

    /// Of several backups the one that is worst off: the largest, with the smallest limit, and first to expire.
    func gauges(_ now: Int64) -> [MetricsFile.Gauge: Int64] {
        let uploads = results.compactMap(\.upload)
        return [
            .lastAttempt: now,
            .lastExitCode: Int64(exitCode),
            .lastSuccess: failure == nil ? now : nil,
            .bytes: uploads.map { Int64($0.bytes) }.max(),
            .limit: uploads.map { Int64($0.limits.maxBackupBytes) }.min(),
            .expiry: results.compactMap { $0.expiresAt.map { $0.milliseconds / 1000 } }.min(),
        ].compactMapValues { $0 }
    }
}
