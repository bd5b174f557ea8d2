import ArgumentParser
import Encodings
import SafeKeeping
import SafeWire
import Threema

struct SafePasswd: Verb {
    static let configuration = CommandConfiguration(
        commandName: "passwd", abstract: "Change the Safe password, the server, or both.",
        discussion: """
            Uploads under the new password first, then deletes the old backup. Interrupted, the next push \
            goes on from there. Apps that know the old password will write the old backup again: change it \
            there, too.
            """)

    @ParentCommand var noun: SafeCommand
    @OptionGroup var globals: GlobalOptions

    @Argument(help: "The identity; may be left out where there is only one.")
    var id: ThreemaID?

    @OptionGroup(title: "New server (default: the present one)")
    var server: ServerOptions

    @Flag(help: "Prepare a new or empty folder there: make backups/ and config.")
    var create = false

    @Flag(help: "Keep the Safe password: change the server, or the way to it, alone.")
    var samePassword = false

    @Flag(help: "Take back a change that was not finished.")
    var abort = false

    @Flag(help: "Leave behind a backup of an earlier change, or under --abort of this one, that cannot be deleted.")
    var force = false

    @Flag(help: "Take a weak password with a warning alone.")
    var weakOk = false

    @OptionGroup(title: "New Safe password (at least 8 characters)")
    var password: SecretOptions<NewSafePassword>

    @OptionGroup(title: "Keystore passphrase")
    var passphrase: SecretOptions<KeystorePassphrase>

    @OptionGroup var waiting: PatienceOptions

    func run(_ session: Session) throws {
        let keeper = try session.keeper(passphrase, waiting.patience)
        let id = try session.identity(id, in: keeper)
        if abort { return try takeBack(id, keeper, session.output) }
        guard try keeper.hasSafe(id) else { throw SafeKeepingError.noSetup(id: id.text) }
        var changed = try server.changed(from: keeper.server(of: id), session)
        let result: SafeKeeper.ChangeResult
        if samePassword {
            guard changed != nil else {
                throw UsageFailure("nothing would change", hint: "--server, --server-user, --ca-file or --pin")
            }
            result = try session.output.busy("moving the Safe backup of \(id)") {
                try keeper.changeTarget(of: id, to: changed.take(), password: nil, preparing: create, leavingOld: force)
            }
        } else {
            let secret = try SecretAsker(password, session).create(
                "for \(id)", minimum: SafeKeys.minimumPasswordLength, mayBeWeak: weakOk)
            var known = Optional(secret)
            result = try session.output.busy("deriving the Safe key and moving the backup of \(id)") {
                try keeper.changeTarget(
                    of: id, to: changed.take(), password: known.take(), preparing: create, leavingOld: force)
            }
        }
        if !result.isOldRemoved {
            session.output.warn("the old backup could not be deleted yet; every push tries again")
        }
        try session.output.done(
            ["the Safe of \(id) is \(result.server.text)" + (samePassword ? "" : ", under the new password")],
            json: .result(
                "safe passwd",
                [
                    ("id", .string(id.text)), ("server", .server(result.server, nil)),
                    ("old_removed", .bool(result.isOldRemoved)),
                ]))
        if !samePassword { session.output.hint("apps that know the old password will write the old backup again") }
    }

    private func takeBack(_ id: ThreemaID, _ keeper: SafeKeeper, _ output: Output) throws {
        let isTakenBack: Bool
        do {
            isTakenBack = try output.busy("asking the server") { try keeper.abortChange(of: id, leavingNew: force) }
        } catch let error as SafeExchangeError where !force {
            throw CommandFailure(
                failure: error.failure.advising("--abort --force leaves there what may have arrived already"))
        }
        try output.done(
            [isTakenBack ? "took back the change for \(id)" : "no change for \(id) is unfinished"],
            json: .result("safe passwd", [("id", .string(id.text)), ("aborted", .bool(isTakenBack))]))
    }
}
