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

    @Flag(help: "Give up what cannot be deleted: forget the setup, and leave the backup where it is.")
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
        let result: SafeKeeper.DeleteResult
        do {
            result = try session.output.busy("deleting the Safe backup of \(id)") {
                try keeper.deleteSafe(of: id, keepingSetup: keepSetup, leavingRest: force)
            }
        } catch let error as SafeExchangeError where !force {
            let old = try keeper.status(of: id).oldServer.map { "an old backup on \($0) is to be deleted, too; " } ?? ""
            throw CommandFailure(
                failure: error.failure.advising(old + "--force gives up what cannot be deleted"))
        }
        if !result.isRemoved { session.output.warn("what could not be deleted stays there until its server drops it") }
        try session.output.done(
            [
                (result.isRemoved ? "deleted the Safe backup of \(id) from" : "gave up the Safe of \(id) on")
                    + " \(result.server.name)" + (keepSetup ? "; the setup is kept" : "")
            ],
            json: .result(
                "safe delete",
                [
                    ("id", .string(id.text)), ("server", .server(result.server, nil)),
                    ("deleted", .bool(result.isRemoved)),
                    ("setup_kept", .bool(keepSetup)),
                ]))
    }
}
