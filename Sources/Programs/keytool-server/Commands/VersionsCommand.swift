import ArgumentParser
import Console
import Encodings
import SafeStore
import SafeWire

struct VersionsCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "versions", abstract: "List the previous backups of an id.",
        discussion: """
            Backups that were replaced or deleted are retained for 7 days (serve --keep-previous). Each line begins \
            with the time of the replacement, by which restore names it.
            """)

    @ParentCommand var root: KeytoolServer
    @OptionGroup var globals: GlobalOptions
    @OptionGroup var backup: BackupArgument
    @OptionGroup var store: StoreOption

    func run(_ dialog: Dialog) throws {
        let backups = try backup.backups(in: store)
        let versions = try backups.versions(of: backup.id)
        let present = try backups.get(backup.id)?.bytes.count
        guard present != nil || !versions.isEmpty else { throw backup.absent }
        if versions.isEmpty { dialog.output.note("the backup has no previous ones") }
        try dialog.output.data(
            versions.map { "\($0.time.compact)  \(ByteCount.text($0.count))" },
            json: .result(
                "versions",
                [
                    ("id", .string(backup.id.hex)), ("account", backup.account.map { .string($0.text) }),
                    ("present_bytes", present.map { .number($0) } ?? .null),
                    (
                        "versions",
                        .array(
                            versions.map {
                                .members([
                                    ("time", .string($0.time.compact)), ("replaced_at", .string($0.time.rfc3339)),
                                    ("bytes", .number($0.count)),
                                ])
                            })
                    ),
                ]))
    }
}
