import ArgumentParser
import Console
import Encodings
import SafeStore
import SafeWire

struct SweepCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "sweep", abstract: "Delete expired backups and old previous backups, once.",
        discussion: """
            A backup expires 30 days after the retention of the server, counted from its last upload. If the clock is \
            suspicious, or more than one in ten backups would go (on a small server: more than three, or all), nothing \
            is deleted. A running server sweeps on its own.
            """)

    @ParentCommand var root: KeytoolServer
    @OptionGroup var globals: GlobalOptions

    @Flag(help: "Only say what would be deleted.")
    var dryRun = false

    @Flag(help: "Delete although the clock or the number of expired backups is suspicious.")
    var force = false

    @Option(
        help: ArgumentHelp(
            "How long to retain backups that were replaced or deleted (KEYTOOL_SERVER_KEEP_PREVIOUS; default: 7d).",
            valueName: "duration"))
    var keepPrevious: TimeSpan?

    @OptionGroup var store: StoreOption

    func run(_ dialog: Dialog) throws {
        let limits = try store.limits()
        // It writes, too: the clock of the store, and what expires as previous backups.
        let server = dryRun ? try store.server() : try store.changedServer()
        let sweep = Sweep(
            retentionDays: limits.retentionDays,
            keepPrevious: try Setting.value(keepPrevious, "keep-previous")?.duration ?? Sweep.defaultKeepPrevious,
            now: ClockReading(wall: WallClock.now(), monotonic: .zero), last: nil,
            deleting: dryRun ? .never : force ? .always : .unlessSuspicious)
        let report = try dialog.output.busy(
            dryRun ? "looking at the backups" : "sweeping the backups",
            countingThings: { progress in
                try server.sweep(sweep, progress: progress)
            })
        if let suspicion = report.suspicion {
            guard report.isCarriedOut || dryRun else {
                throw CommandFailure(failure: suspicion.refusal)
            }
            dialog.output.warn(suspicion.sentence)
        }
        try dialog.output.done(lines(report, dialog.output), json: json(report, dialog.output))
    }

    private func lines(_ report: SweepReport, _ output: Output) -> [String] {
        let (verb, count) = (dryRun ? "would delete" : "deleted", Counted.backups(report.total))
        let summary =
            "\(verb) \(report.expired.count) of \(count), and \(Counted.previous(report.previous.count))"
        guard output.isVerbose else { return [summary] }
        return [summary] + report.expired.map { "\($0.id.hex)  last upload \($0.time.rfc3339)" }
            + report.previous.map { "\($0.id.hex)  previous backup of \($0.time.compact)" }
    }

    private func json(_ report: SweepReport, _ output: Output) -> JSONValue {
        func ids(_ all: [Dated]) -> JSONValue? {
            guard output.isVerbose else { return nil }
            return .array(all.map { .members([("id", .string($0.id.hex)), ("time", .string($0.time.compact))]) })
        }
        return .result(
            "sweep",
            [
                ("backups", .number(report.total)), ("expired", .number(report.expired.count)),
                ("previous", .number(report.previous.count)), ("deleted", .bool(report.isCarriedOut)),
                ("suspicion", report.suspicion.map { .string($0.reason) }),
                ("expired_backups", ids(report.expired)), ("old_previous_backups", ids(report.previous)),
            ])
    }
}
