import ArgumentParser
import Console
import Encodings
import SafeStore
import SafeWire

struct RestoreCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Store a previous backup again, or those of an account at a time.",
        discussion: """
            The present backup becomes a previous one. Quotas do not count. With --account and --at, each backup of the \
            account becomes the one that was uploaded last at that time or before it.
            """)

    @OptionGroup var globals: GlobalOptions

    @Argument(help: ArgumentHelp("The id of the backup: 64 hexadecimal digits.", valueName: "backup-id"))
    var id: BackupID?

    @OptionGroup var backup: AccountOption

    @Argument(help: "The time of the previous backup, as versions prints it: 20261121T030000123Z.")
    var time: VersionTime?

    @Option(
        help: ArgumentHelp(
            "Restore all backups of --account as they were at this time: 2026-11-21T03:00:00Z.",
            valueName: "timestamp"))
    var at: PastTime?

    @Flag(help: "Only say what would be restored.")
    var dryRun = false

    @Flag(help: "Do not ask before a present backup is replaced.")
    var yes = false

    @OptionGroup var store: StoreOption

    func run(_ dialog: Dialog) throws {
        if let at {
            guard let account = backup.account, id == nil else {
                throw UsageFailure(
                    "--at is for all backups of an account", hint: "use restore --account NAME --at TIMESTAMP")
            }
            if !dryRun { _ = try store.changedServer() }
            try AccountRestore(account: account, at: at.timestamp, dryRun: dryRun, yes: yes)
                .run(on: backup.backups(in: store), dialog)
            return
        }
        guard let id, let time else {
            throw UsageFailure(
                "an id and a time are missing", hint: "use restore ID TIME, or restore --account NAME --at TIMESTAMP")
        }
        if !dryRun { _ = try store.changedServer() }
        try restore(id, of: time, in: backup.backups(in: store), dialog)
    }

    private func restore(
        _ id: BackupID, of time: VersionTime, in backups: borrowing FolderStore, _ dialog: Dialog
    ) throws {
        let plan = try backups.plan(.single(id, uploaded: time.timestamp), now: WallClock.now())
        let state = plan.states[0]
        guard case .previous(let version) = state.backup else {
            guard try state.isPresent || !backups.versions(of: id).isEmpty else { throw backup.absent }
            throw absentVersion(time, of: id)
        }
        if !dryRun {
            let question = "replace the present backup with that of \(time.text)"
            try backups.restore(plan, asking: state.isPresent && !yes ? question : nil, "the backup has", dialog)
        }
        try dialog.output.done(
            ["\(dryRun ? "would restore" : "restored") the backup of \(time.text), \(ByteCount.text(version.count))"],
            json: .result(
                "restore",
                [
                    ("id", .string(id.hex)), ("account", backup.account.map { .string($0.text) }),
                    ("time", .string(time.text)), ("bytes", .number(version.count)),
                    ("replaced", .bool(state.isPresent)), ("dry_run", .bool(dryRun)),
                ]))
    }

    private func absentVersion(_ time: VersionTime, of id: BackupID) -> Failure {
        let account = backup.account.map { " --account \($0.text)" } ?? ""
        return Failure(
            .absent, "the backup has no previous one of \(time.text)",
            hints: Hint("keytool-server versions \(id.hex)\(account)\(store.words) lists them"))
    }
}
