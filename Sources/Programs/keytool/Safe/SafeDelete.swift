import ArgumentParser
import CommandLine
import Console
import Encodings
import SafeKeeping
import ThreemaKeeping
import SafeRules
import SafeWire
import Threema

struct SafeDelete: Verb {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete the Safe backup from its server, and forget the setup.",
        discussion: """
            Reads the backup first. A backup of another device is not deleted (20). If the command is \
            interrupted, nothing is deleted later; the next push reports it (17).
            """)

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: IdentityArgument

    @OptionGroup var place: PlaceOption

    @Flag(help: "Retain server and Safe key; the next push uploads again.")
    var keepSetup = false

    @Flag(help: "Only remove the setup from the keystore. No request is sent; the backup stays on its server.")
    var setupOnly = false

    @Flag(help: "Forget the setup even if the backup cannot be deleted, or if the setup is damaged.")
    var force = false

    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    @OptionGroup var keystore: KeystoreOptions

    @OptionGroup var waiting: TimeLimitOptions

    func validate() throws {
        guard !setupOnly || !keepSetup && !force else {
            throw ValidationError("--setup-only cannot be combined with --keep-setup or --force")
        }
    }

    func run(_ session: Session) throws {
        let keeper = try session.keeper(keystore.passphrase, waiting.limits)
        let id = try session.identity(named.id, in: keeper)
        let chosen = try session.place(place.name, of: id, in: keeper)
        if setupOnly { return try removeSetup(chosen, keeper, session) }
        if (try? keeper.safe.isReadOnly(chosen.place)) == true {
            throw SafeKeepingError.refused(.readOnly, id: id.text, server: "").failure
                .advising("keytool safe delete --setup-only \(chosen.argument) removes the setup from the keystore")
        }
        try session.requireClient(for: chosen.place, in: keeper)
        if !yes { try session.dialog.confirm("delete the Safe backup of \(chosen.label)", typing: id.text) }
        if force && !keepSetup, try keeper.safe.forgetDamagedSetup(at: chosen.place) {
            return try tellForgotten(chosen, session.output)
        }
        var options = SafeKeeper.DeleteOptions()
        options.isKeepingSetup = keepSetup
        options.isForced = force
        let result = try session.output.busy("deleting the Safe backup of \(chosen.label)") {
            try chosen.naming { try delete(chosen.place, options, keeper) }
        }
        for left in result.left {
            session.output.warn("\(left.role.words) may still hold a backup of \(id): \(left.reason.reasonLeft)")
        }
        try session.output.done(
            [words(id, result) + (keepSetup ? "; the setup is retained" : "")],
            json: .result(
                "safe delete",
                chosen.members([
                    ("id", .string(id.text)), ("server", .server(result.server, nil)),
                    ("deleted", .bool(result.left.isEmpty)), ("was_there", .bool(result.wasThere)),
                    ("setup_kept", .bool(keepSetup)),
                ])))
    }

    private func removeSetup(_ chosen: ChosenPlace, _ keeper: ThreemaKeeper, _ session: Session) throws {
        let id = chosen.id
        // Nobody is asked about a setup that is missing or damaged.
        _ = try keeper.safe.server(of: chosen.place)
        if !yes { try session.dialog.confirm("remove the Safe setup of \(chosen.label)", typing: id.text) }
        let server = try chosen.naming { try keeper.safe.removeSetup(of: chosen.place) }
        try session.output.done(
            ["removed the Safe setup of \(id); the backup stays on \(server.name)"],
            json: .result(
                "safe delete",
                chosen.members([
                    ("id", .string(id.text)), ("server", .server(server, nil)), ("deleted", false),
                    ("setup_kept", false),
                ])))
    }

    private func tellForgotten(_ chosen: ChosenPlace, _ output: Output) throws {
        let id = chosen.id
        output.warn("a Safe backup of \(id) may remain on a server: the damaged setup does not say which one")
        try output.done(
            ["forgot the damaged Safe setup of \(id)"],
            json: .result(
                "safe delete",
                chosen.members([("id", .string(id.text)), ("deleted", false), ("setup_kept", false)])))
    }

    private func delete(
        _ place: SafePlace, _ options: SafeKeeper.DeleteOptions, _ keeper: ThreemaKeeper
    ) throws -> SafeKeeper.DeleteResult {
        func advised(_ error: any Error, _ place: String) -> Failure {
            Failure(error).advising("\(place)--force abandons what cannot be deleted")
        }
        do {
            return try keeper.safe.deleteSafe(at: place, options)
        } catch let error as SafeExchangeError {
            throw force ? error : advised(error, "")
        } catch SafeKeepingError.refused(.exchange(let role, let error), _, _, _) {
            throw force ? error : advised(error, "\(role.words) still holds a backup; ")
        } catch let error as SafeKeepingError {
            if case .refused(.notRemoved, _, _, _) = error { throw advised(error, "") }
            throw error
        }
    }

    private func words(_ id: ThreemaID, _ result: SafeKeeper.DeleteResult) -> String {
        if result.left.contains(where: { $0.role == .current }) {
            return "abandoned the Safe of \(id) on \(result.server.name)"
        }
        return result.wasThere
            ? "deleted the Safe backup of \(id) from \(result.server.name)"
            : "there was no Safe backup of \(id) on \(result.server.name)"
    }
}
