import ArgumentParser
import Encodings
import SafeKeeping
import Threema

struct SafePull: Verb {
    static let configuration = CommandConfiguration(
        commandName: "pull", abstract: "Bring an identity and its profile back from its Safe backup.",
        discussion: """
            Where a Safe is set up, nothing else is needed. On an empty machine give --id, --server and \
            the Safe password: identity, profile and setup come back.
            """)

    @ParentCommand var noun: SafeCommand
    @OptionGroup var globals: GlobalOptions

    @Argument(help: "The identity whose Safe is set up; may be left out where there is only one.")
    var identity: ThreemaID?

    @Option(help: ArgumentHelp("Restore this ID, with --server and the Safe password.", valueName: "id"))
    var id: ThreemaID?

    @OptionGroup(title: "Server")
    var server: ServerOptions

    @Flag(help: "Take an older backup, or give up changes or another key that the keystore holds.")
    var replace = false

    @Flag(help: "Do not keep the server and the Safe key.")
    var noSetup = false

    @OptionGroup(title: "Safe password")
    var password: SecretOptions<SafePassword>

    func run(_ session: Session) throws {
        var options = SafeKeeper.KeepOptions()
        options.isReplacing = replace
        options.isKeepingSetup = !noSetup
        let fetched = try fetch(session)
        try session.keeperOfNewKeystore().keep(fetched, options)
        try session.output.done(lines(fetched), json: json(fetched))
        session.output.note("the keystore is not protected by a passphrase")
    }

    private func fetch(_ session: Session) throws -> FetchedSafe {
        guard id == nil || identity == nil else { throw UsageFailure("the identity is named twice") }
        guard let address = try server.address() else {
            guard id == nil else { throw UsageFailure("--id needs --server", hint: "--server file:///DIR") }
            let keeper = try session.keeper()
            return try keeper.fetchSafe(of: session.identity(identity, in: keeper))
        }
        guard let id = id ?? identity else { throw UsageFailure("--server needs --id") }
        return try SecretAsker(password, session).open("for \(id)", isWrong: { _ in false }) { password in
            try SafeKeeper.fetchSafe(of: id, at: address, password: password, server: session.connect(address))
        }
    }

    private func lines(_ result: borrowing FetchedSafe) -> [String] {
        let document = result.document
        let stamp = result.stamp
        let written =
            stamp.map { "keytool, no. \($0.generation), \($0.writtenAt.rfc3339)" }
            ?? "an app" + (document.device.map { " (\($0))" } ?? "")
        let key = result.publicKey.lines
        return ["restored \(result.id) from \(result.server)", "public key  \(key[0])"]
            + key.dropFirst().map { "            \($0)" }
            + [
                "contacts    \(document.contactCount)", "groups      \(document.groupCount)",
                "lists       \(document.distributionListCount)", "written by  \(written)",
            ]
    }

    private func json(_ result: borrowing FetchedSafe) -> JSONValue {
        let stamp = result.stamp
        return .result(
            "safe pull",
            [
                ("id", .string(result.id.text)), ("public_key", .string(result.publicKey.hex)),
                ("contacts", .number(result.document.contactCount)), ("groups", .number(result.document.groupCount)),
                ("distribution_lists", .number(result.document.distributionListCount)),
                ("written_by", stamp == nil ? "app" : "keytool"),
                ("generation", stamp.map { .number($0.generation) }),
                ("written_at", stamp.map { .string($0.writtenAt.rfc3339) }), ("stored", true),
            ])
    }
}
