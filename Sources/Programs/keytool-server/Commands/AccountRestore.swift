import Console
import Encodings
import SafeStore
import SafeWire

/// `restore --account NAME --at TIMESTAMP`: all backups of an account, as they were at a time.
struct AccountRestore {
    let account: AccountName
    let at: Timestamp
    let dryRun: Bool
    let yes: Bool

    private struct Row {
        let id: BackupID
        let version: BackupVersion
        let isExact: Bool
        let isReplacing: Bool
    }

    func run(on backups: borrowing FolderStore, _ dialog: Dialog) throws {
        let now = WallClock.now()
        guard at <= now else { throw UsageFailure("--at is a time in the future") }
        var rows: [Row] = []
        var (unchanged, newer) = (0, 0)
        let plan = try backups.plan(.all(at: at), now: now)
        for state in plan.states {
            switch state.backup {
            case .present: unchanged += 1
            case .previous(let version):
                rows.append(
                    Row(id: state.id, version: version, isExact: state.isExact, isReplacing: state.isPresent))
            case .absent: newer += state.isPresent ? 1 : 0
            }
        }
        let replaced = rows.count(where: \.isReplacing)
        let (restoring, present) = (Counted.backups(rows.count), Counted.backups(replaced))
        if newer > 0 {
            dialog.output.warn("\(Counted.backups(newer)) uploaded first after that time: left as they are")
        }
        let older = plan.states.count { !$0.isExact }
        if older > 0 {
            dialog.output.warn(
                "\(Counted.backups(older)) older than those of that time, which are not retained any more")
        }
        if !dryRun, !rows.isEmpty {
            let question = "restore \(restoring) of \(account.text), and replace \(present)"
            try backups.restore(
                plan, asking: replaced > 0 && !yes ? question : nil, "the backups of \(account.text) have", dialog)
        }
        try dialog.output.done(
            rows.map { "\($0.id.hex)  \($0.version.time.compact)  \(ByteCount.text($0.version.count))" } + [
                "\(dryRun ? "would restore" : "restored") \(restoring) of \(account.text)"
                    + (replaced > 0 ? ", in place of \(present)" : "") + "; \(unchanged) unchanged"
            ],
            json: json(rows, unchanged: unchanged, newer: newer, older: older))
    }

    private func json(_ rows: [Row], unchanged: Int, newer: Int, older: Int) -> JSONValue {
        .result(
            "restore",
            [
                ("account", .string(account.text)), ("at", .string(at.rfc3339)), ("dry_run", .bool(dryRun)),
                (
                    "backups",
                    .array(
                        rows.map {
                            .members([
                                ("id", .string($0.id.hex)), ("time", .string($0.version.time.compact)),
                                ("bytes", .number($0.version.count)), ("replaced", .bool($0.isReplacing)),
                                ("exact", .bool($0.isExact)),
                            ])
                        })
                ),
                ("unchanged", .number(unchanged)), ("newer", .number(newer)), ("older", .number(older)),
            ])
    }
}
