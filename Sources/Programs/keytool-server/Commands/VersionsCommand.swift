import ArgumentParser
import Console
import Encodings
import SafeStore
import SafeWire

struct VersionsCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "versions", abstract: "List the previous backups of an id, or the ids that have some.",
        discussion: """
            Backups that were replaced or deleted are retained for 7 days (serve --keep-previous). Each line about an \
            id begins with the time of its upload, by which restore names it. Without an id, each line has an \
            id, the time of its newest previous backup, and whether it has a present one.
            """)

    /// Most ids that are listed: a store may have millions.
    private static let maxIDs = 10_000

    @OptionGroup var globals: GlobalOptions

    @Argument(help: ArgumentHelp("64 hexadecimal digits; without it, all ids.", valueName: "backup-id"))
    var id: BackupID?

    @OptionGroup var backup: AccountOption
    @OptionGroup var store: StoreOption

    func run(_ dialog: Dialog) throws {
        let backups = try backup.backups(in: store)
        let lead = try backups.lead(of: WallClock.now())
        if let id {
            try list(id, in: backups, lead, dialog.output)
        } else {
            try listAll(in: backups, lead, dialog.output)
        }
    }

    /// - Parameter lead: how far the wall clock is ahead of the store's time.
    private func list(
        _ id: BackupID, in backups: borrowing FolderStore, _ lead: Duration, _ output: Output
    ) throws {
        let versions = try backups.versions(of: id)
        let present = try backups.fileLength(of: id)
        guard present != nil || !versions.isEmpty else { throw backup.absent }
        if versions.isEmpty { output.note("the backup has no previous ones") }
        try output.data(
            versions.map { "\($0.time.compact)  \(ByteCount.text($0.count))" },
            json: .result(
                "versions",
                [
                    ("id", .string(id.hex)), ("account", backup.account.map { .string($0.text) }),
                    ("present_bytes", present.map { .number($0) } ?? .null),
                    ("versions", .array(versions.map { Self.json($0, lead) })),
                ]))
    }

    private static func json(_ version: BackupVersion, _ lead: Duration) -> JSONValue {
        let replaced = version.replaced + lead
        return .members([
            ("time", .string(version.time.compact)), ("uploaded_at", .string(version.time.rfc3339)),
            ("replaced_at", .string(replaced.rfc3339)), ("bytes", .number(version.count)),
        ])
    }

    /// - Parameter lead: as above.
    private func listAll(in backups: borrowing FolderStore, _ lead: Duration, _ output: Output) throws {
        let (changed, total) = try backups.changedBackups(limit: Self.maxIDs)
        if changed.isEmpty {
            output.note("there are no previous backups")
            if try backup.account == nil && store.server().hasAccounts() { output.hint(AccountOption.advice) }
        }
        if changed.count < total { output.note("these are the \(changed.count) newest of \(total) ids") }
        try output.data(
            changed.map { each in
                let presence = each.isPresent ? "present" : "absent "
                return "\(each.id.hex)  \(each.time.compact)  \(presence)  \(Counted.previous(each.count))"
            },
            json: .result(
                "versions",
                [
                    ("account", backup.account.map { .string($0.text) }), ("ids", .number(total)),
                    ("backups", .array(changed.map { Self.json($0, lead) })),
                ]))
    }

    private static func json(_ changed: FolderStore.ChangedBackup, _ lead: Duration) -> JSONValue {
        let replaced = changed.replaced + lead
        return .members([
            ("id", .string(changed.id.hex)), ("time", .string(changed.time.compact)),
            ("changed_at", .string(replaced.rfc3339)), ("present", .bool(changed.isPresent)),
            ("versions", .number(changed.count)),
        ])
    }
}
