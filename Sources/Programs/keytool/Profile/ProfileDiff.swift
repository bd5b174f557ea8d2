import ArgumentParser
import CommandLine
import Console
import Encodings
import ThreemaKeeping
import Threema
import ThreemaSafe

struct ProfileDiff: Verb {
    static let configuration = CommandConfiguration(
        commandName: "diff", abstract: "Compare the profile with its Safe backup, or with a file.",
        discussion: """
            Without a file, the backup is read from the server, as keytool safe check does. Fails (19) if something \
            differs.
            """)

    @OptionGroup var globals: GlobalOptions

    @Argument(
        help: ArgumentHelp("A document, or - for stdin. Without it, the backup on the server.", valueName: "file"),
        completion: .file())
    var file: String?

    @OptionGroup var named: IdentityOption

    @OptionGroup var place: PlaceOption

    @OptionGroup var keystore: KeystoreOptions

    @OptionGroup var waiting: TimeLimitOptions

    func validate() throws {
        guard file == nil || place.name == nil else { throw ValidationError("--name cannot be combined with a file") }
    }

    func run(_ session: Session) throws {
        try keystore.passphrase.requireOtherSource(ifTaken: file == "-")
        let (id, comparison) = try compare(session)
        let other = file == nil ? "the backup" : "the file"
        let words = DifferenceWords(comparison.document)
        let lines =
            (comparison.isOtherKey ? ["private key: another one in \(other)"] : []) + words.lines(other: other)
            + (comparison.isOtherDeviceGroupKey ? ["device group key: different"] : [])
        let source = file.map { $0 == "-" ? "stdin" : $0 } ?? "the server"
        try session.output.data(
            comparison.isSame && !session.output.isQuiet ? ["the profile of \(id) equals \(other)"] : lines,
            json: .result(
                "profile diff",
                [
                    ("id", .string(id.text)), ("same", .bool(comparison.isSame)),
                    ("compared_with", .string(file == nil ? "server" : source)),
                    ("same_private_key", .bool(!comparison.isOtherKey)),
                    ("same_device_group_key", .bool(!comparison.isOtherDeviceGroupKey)),
                ] + words.json()))
        guard !comparison.isSame else { return }
        throw Failure(.verifyFailed, "the profile of \(id) differs from \(other)").because(of: "different")
    }

    private func compare(_ session: Session) throws -> (ThreemaID, ProfileComparison) {
        guard let file else {
            let (keeper, id) = try session.open(named.identity, keystore, waiting.limits)
            let chosen = try session.place(place.name, of: id, in: keeper)
            return try (
                id,
                session.output.busy("downloading the Safe backup of \(id)") {
                    try chosen.naming { try keeper.profiles.compareWithServer(chosen.place) }
                }
            )
        }
        let document = try DocumentFile(readingFrom: file)
        let (keeper, id) = try session.open(named.identity, keystore)
        return (id, try keeper.profiles.compare(id, with: document))
    }
}
