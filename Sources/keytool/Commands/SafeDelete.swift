import ArgumentParser
import Encodings
import SafeKeeping
import SafeWire
import Threema

struct SafeDelete: Verb {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete the Safe backup from its server, and forget the setup.")

    @ParentCommand var noun: SafeCommand
    @OptionGroup var globals: GlobalOptions

    @Argument(help: "The identity; may be left out where there is only one.")
    var id: ThreemaID?

    @Flag(help: "Keep server and Safe key, so that the next push uploads again.")
    var keepSetup = false

    @Flag(help: "Leave a backup under an earlier password or server where it is, if it cannot be deleted.")
    var force = false

    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    @OptionGroup(title: "Keystore passphrase")
    var passphrase: SecretOptions<KeystorePassphrase>

    @OptionGroup var waiting: PatienceOptions

    func run(_ session: Session) throws {
        let keeper = try session.keeper(passphrase, waiting.patience)
        let id = try session.identity(id, in: keeper)
        guard try keeper.hasSafe(id) else { throw SafeKeepingError.noSetup(id: id.text) }
        if !yes { try session.confirm("delete the Safe backup of \(id)", typing: id.text) }
        let old = try keeper.status(of: id).oldServer
        let server: SafeServerAddress
        do {
            server = try session.output.busy("deleting the Safe backup of \(id)") {
                try keeper.deleteSafe(of: id, keepingSetup: keepSetup, leavingOld: force)
            }
        } catch let error as SafeExchangeError where old != nil && !force {
            throw CommandFailure(
                failure: error.failure.advising("an old backup is to be deleted, too; --force leaves it where it is"))
        }
        try session.output.done(
            ["deleted the Safe backup of \(id) from \(server.name)" + (keepSetup ? "; the setup is kept" : "")],
            json: .result(
                "safe delete",
                [
                    ("id", .string(id.text)), ("server", .server(server, nil)), ("deleted", true),
                    ("setup_kept", .bool(keepSetup)),
                ]))
    }
}
