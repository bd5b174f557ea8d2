import ArgumentParser
import CommandLine
import Console
import Encodings
import Keystore
import SafeKeeping
import ThreemaKeeping
import Threema
import ThreemaSafe

struct SafeHistory: Verb {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "List the earlier Safe backups in the keystore.",
        discussion: """
            Backups that keytool safe mirror has stored, and for 90 days those that this keystore has replaced or \
            deleted on the server, and profiles that a pull has replaced here. keytool safe pull --from N restores one. \
            Each backup keeps its number; the newest has the highest one.
            """)

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: IdentityArgument

    @OptionGroup var place: PlaceOption

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Show what has changed from one backup to another: two numbers.", valueName: "n"))
    var diff: [Int] = []

    @OptionGroup var keystore: KeystoreOptions

    func validate() throws {
        guard diff.isEmpty || diff.count == 2 else {
            throw ValidationError("--diff needs two numbers, the earlier backup first")
        }
    }

    func run(_ session: Session) throws {
        let (keeper, id) = try session.open(named.id, keystore)
        let chosen = try session.placeWithHistory(place.name, of: id, in: keeper)
        guard diff.isEmpty else { return try compare(chosen, keeper, session.output) }
        let items = try session.output.busy("opening the backups of \(id)") {
            try keeper.safe.history(of: chosen.place)
        }
        if items.isEmpty { session.output.note("the history of \(id) is empty") }
        let width = items.map { String($0.number).count }.max() ?? 1
        try session.output.data(
            items.map { line($0, width) },
            json: .result(
                "safe history",
                chosen.members([("id", .string(id.text)), ("backups", .array(items.map(json)))])))
    }

    private func compare(_ chosen: ChosenPlace, _ keeper: ThreemaKeeper, _ output: Output) throws {
        let id = chosen.id
        let before = try chosen.naming { try keeper.safe.earlierBackup(diff[0], of: chosen.place) }
        let after = try chosen.naming { try keeper.safe.earlierBackup(diff[1], of: chosen.place) }
        let words = DifferenceWords(DocumentDifference(from: before.document, to: after.document))
        let isOtherKey = before.clientKey.publicKey != after.clientKey.publicKey
        let lines =
            (isOtherKey ? ["private key: different"] : [])
            + words.lines(other: "backup \(diff[0])", this: "backup \(diff[1])")
        try output.data(
            lines.isEmpty && !output.isQuiet ? ["both backups of \(id) say the same"] : lines,
            json: .result(
                "safe history",
                chosen.members([
                    ("id", .string(id.text)), ("from", .number(diff[0])), ("to", .number(diff[1])),
                    ("same", .bool(lines.isEmpty)), ("same_private_key", .bool(!isOtherKey)),
                ]) + words.json(added: "added", removed: "removed")))
    }

    private func line(_ item: SafeKeeper.HistoryItem, _ width: Int) -> String {
        let number = String(repeating: " ", count: width - String(item.number).count) + String(item.number)
        let start =
            "\(number)  \(item.storedAt.rfc3339)  \(item.origin == .both ? "mirrored, replaced" : item.origin.rawValue)"
        guard let contents = item.contents else { return "\(start)  \(ByteCount.text(item.bytes)), does not open" }
        let writer = contents.writer.map { "keytool, generation \($0.generation)" } ?? contents.app
        return
            "\(start)  \(ByteCount.text(item.bytes)), \(Counted.text(contents.contacts, "contact")), \(Counted.text(contents.groups, "group")), by \(writer)"
    }

    private func json(_ item: SafeKeeper.HistoryItem) -> JSONValue {
        .members([
            ("number", .number(item.number)), ("stored_at", .string(item.storedAt.rfc3339)),
            ("origin", .string(item.origin.rawValue)), ("bytes", .number(item.bytes)),
            ("opens", .bool(item.contents != nil)),
            ("other_key", item.contents.map { .bool($0.isOtherKey) }),
            ("contacts", item.contents.map { .number($0.contacts) }),
            ("groups", item.contents.map { .number($0.groups) }),
            ("written_by", item.contents.map { $0.writer == nil ? "app" : "keytool" }),
            ("generation", (item.contents?.writer).map { .number($0.generation) }),
            ("written_at", (item.contents?.writer).map { .string($0.writtenAt.rfc3339) }),
        ])
    }
}

extension SafeKeeper.HistoryItem.Contents {
    fileprivate var app: String { "an app" + (device.map { " (\($0.printable))" } ?? "") }
}
