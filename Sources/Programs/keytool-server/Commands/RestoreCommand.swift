import ArgumentParser
import Console
import Encodings
import SafeStore
import SafeWire

struct RestoreCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Store a previous backup again.",
        discussion: "The present backup becomes a previous one. Quotas do not count.")

    @ParentCommand var root: KeytoolServer
    @OptionGroup var globals: GlobalOptions

    @Argument(help: ArgumentHelp("The id of the backup: 64 hexadecimal digits.", valueName: "backup-id"))
    var id: BackupID

    @OptionGroup var backup: AccountOption

    @Argument(help: "The time of the previous backup, as versions prints it: 20261121T030000123Z.")
    var time: VersionTime

    @Flag(help: "Do not ask before the present backup is replaced.")
    var yes = false

    @OptionGroup var store: StoreOption

    func run(_ dialog: Dialog) throws {
        _ = try store.changedServer()
        let backups = try backup.backups(in: store)
        let versions = try backups.versions(of: id)
        guard let version = versions.first(where: { $0.time == time.timestamp }) else {
            guard try !versions.isEmpty || backups.get(id) != nil else { throw backup.absent }
            throw absentVersion
        }
        let isReplacing = try backups.get(id) != nil
        if isReplacing, !yes { try dialog.confirm("replace the present backup with that of \(time.text)") }
        guard try backups.restore(id, from: time.timestamp, now: WallClock.now()) else { throw absentVersion }
        try dialog.output.done(
            ["restored the backup of \(time.text), \(ByteCount.text(version.count))"],
            json: .result(
                "restore",
                [
                    ("id", .string(id.hex)), ("account", backup.account.map { .string($0.text) }),
                    ("time", .string(time.text)), ("bytes", .number(version.count)), ("replaced", .bool(isReplacing)),
                ]))
    }

    private var absentVersion: CommandFailure {
        CommandFailure(
            failure: Failure(
                .absent, "the backup has no previous one of \(time.text)",
                hints: "keytool-server versions ID lists them"))
    }
}
