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

    @OptionGroup var globals: GlobalOptions

    @Flag(help: "Only say what would be deleted.")
    var dryRun = false

    @Flag(help: "Delete although the clock or the number of expired backups is suspicious.")
    var force = false

    @Option(
        help: ArgumentHelp(
            "How long to retain replaced or deleted backups, if not as serve does (KEYTOOL_SERVER_KEEP_PREVIOUS).",
            valueName: "duration"))
    var keepPrevious: TimeSpan?

    @OptionGroup var store: StoreOption

    func run(_ dialog: Dialog) throws {
        let limits = try store.limits()
        // It writes, too: the clock of the store, and what expires as previous backups.
        let server = dryRun ? try store.server() : try store.changedServer()
        let given = try Setting.value(keepPrevious, "keep-previous")?.duration
        let sweep = Sweep(
            retentionDays: limits.retentionDays,
            keepPrevious: try given ?? server.keepPrevious() ?? Sweep.defaultKeepPrevious,
            now: ClockReading(wall: WallClock.now(), monotonic: .zero), last: nil,
            deleting: dryRun ? .never : force ? .always : .unlessSuspicious)
        var shown = Shown(lead: try server.clock.lead(of: sweep.now.wall))
        let report = try dialog.output.busy(
            dryRun ? "looking at the backups" : "sweeping the backups",
            countingThings: { progress in
                try server.sweep(
                    sweep, found: { if dialog.output.isVerbose { shown.add($0) } }, progress: progress)
            })
        if let warning = report.counts.warning { dialog.output.warn(warning) }
        if let failure = report.failure {
            let whose = failure.account.map { "the backups of \($0.text)" } ?? "backups without an account"
            dialog.output.warn("\(whose) were not swept: \(Failure(failure.error).message)")
        }
        if let suspicion = report.suspicion {
            guard report.isCarriedOut || dryRun else {
                throw suspicion.refusal
            }
            dialog.output.warn(suspicion.sentence)
        }
        try dialog.output.done(
            lines(report) + shown.lines, json: json(report, dialog.output.isVerbose ? shown : nil))
        // The others were swept.
        if let failure = report.failure { throw failure.error }
    }

    private func lines(_ report: SweepReport) -> [String] {
        let (verb, count) = (dryRun ? "would delete" : "deleted", Counted.backups(report.counts.total))
        let over = over(report)
        return ["\(verb) \(over.expired) of \(count), and \(Counted.previous(over.previous))"]
    }

    /// What was deleted; with `--dry-run`, what would be.
    private func over(_ report: SweepReport) -> SweepDeletions {
        dryRun ? report.counts.over : report.deleted
    }

    private func json(_ report: SweepReport, _ shown: Shown?) -> JSONValue {
        let over = over(report)
        return .result(
            "sweep",
            [
                ("backups", .number(report.counts.total)), ("expired", .number(over.expired)),
                ("previous", .number(over.previous)), ("deleted", .bool(report.isCarriedOut)),
                ("suspicion", report.suspicion.map { .string($0.reason) }),
                ("expired_backups", shown?.expired.json), ("old_previous_backups", shown?.previous.json),
            ])
    }
}

/// The backups that a sweep found to be over, for `--verbose`.
private struct Shown {
    struct Rows {
        private var all: [(id: String, time: Timestamp)] = []

        mutating func add(_ id: BackupID, _ time: Timestamp) { all.append((id.hex, time)) }

        var sorted: [(id: String, time: Timestamp)] { all.sorted { ($0.id, $0.time) < ($1.id, $1.time) } }

        var json: JSONValue {
            .array(sorted.map { .members([("id", .string($0.id)), ("time", .string($0.time.compact))]) })
        }
    }

    /// How far the wall clock is ahead of the store's time.
    let lead: Duration
    var expired = Rows()
    var previous = Rows()

    mutating func add(_ each: SweptBackup) {
        switch each {
        case .expired(let id, let lastUpload): expired.add(id, lastUpload + lead)
        case .previous(let id, let time): previous.add(id, time)
        }
    }

    var lines: [String] {
        expired.sorted.map { "\($0.id)  last upload \($0.time.rfc3339)" }
            + previous.sorted.map { "\($0.id)  previous backup of \($0.time.compact)" }
    }
}
