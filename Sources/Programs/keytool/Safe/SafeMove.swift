import ArgumentParser
import CommandLine
import Console
import Encodings
import SafeKeeping
import ThreemaKeeping
import SafeRules
import SafeWire
import Threema

struct SafeMove: Verb {
    static let configuration = CommandConfiguration(
        commandName: "move", abstract: "Move the Safe backup to another server or directory.",
        discussion: """
            Uploads the backup to the new place, reads it back, then deletes the old one. The Safe password stays the same. \
            If the command is interrupted, the next push finishes the move. If both addresses lead to the same place, only \
            the address changes. Without --overwrite, a backup of another device is not replaced or deleted.
            """)

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: IdentityArgument

    @OptionGroup var place: PlaceOption

    @OptionGroup(title: "New server")
    var server: ServerOptions

    @Flag(help: "Prepare a new or empty directory there: make backups/ and config.")
    var create = false

    @Flag(help: "Do not delete the backup at the old place.")
    var leaveOld = false

    @OptionGroup var change: ChangeOptions

    @OptionGroup var keystore: KeystoreOptions

    @OptionGroup var waiting: TimeLimitOptions

    func run(_ session: Session) throws {
        try server.checkAddress()
        let keeper = session.renewed(
            try session.keeper(keystore.passphrase, waiting.limits), waiting.limits, isMoving: true)
        let id = try session.identity(named.id, in: keeper)
        let chosen = try session.place(place.name, of: id, in: keeper)
        if change.abort { return try change.takeBack(chosen, keeper, session.output, command: "safe move") }
        guard let named = try server.named(isNeeded: false, keeper.onPrem, session) else {
            throw UsageFailure("no server was given", hint: "--server https://… or file:///DIR")
        }
        try session.requireOutsideKeystore(named.address)
        let new = try server.trustingFingerprint(named, waiting.limits, session)
        var options = change.options
        options.isLeavingOld = leaveOld
        let result = try change.telling(of: chosen, keeper) {
            try move(chosen.place, to: new, options, keeper, session)
        }
        change.warn(of: result, chosen, session.output)
        try session.output.done(
            [
                result.isSamePlace
                    ? "both addresses lead to the same place: the Safe of \(id) is now at \(result.server.text); nothing was moved"
                    : "the Safe of \(id) is now at \(result.server.text)"
            ],
            json: .result(
                "safe move", change.members(chosen, result) + [("same_place", .bool(result.isSamePlace))]))
    }

    /// A copy that follows the old place would lose its backup with it: that needs a word.
    private func move(
        _ place: SafePlace, to server: borrowing SafeEndpoint, _ options: SafeKeeper.ChangeOptions,
        _ keeper: ThreemaKeeper,
        _ session: Session
    ) throws -> SafeKeeper.ChangeResult {
        func run(_ options: SafeKeeper.ChangeOptions) throws -> SafeKeeper.ChangeResult {
            try session.output.busy("moving the Safe backup of \(place.id)") {
                try keeper.safe.move(place, to: server.copy, preparing: create, options)
            }
        }
        do {
            return try run(options)
        } catch SafeKeepingError.refused(.replica, let name, let address, _) {
            guard session.dialog.mayAsk, let terminal = ControllingTerminal(),
                try terminal.askYesNo(
                    "The new place already holds this backup. It may be a mirror of the old place. Move there without deleting the old backup?"
                )
            else { throw SafeKeepingError.refused(.replica, id: name, server: address) }
            var options = options
            options.isLeavingOld = true
            return try run(options)
        } catch SafeKeepingError.refused(.exchange(.next, let error), _, _, stage: .usual) {
            throw error.explainedBeforeUse(of: server, isPreparing: create)
        }
    }
}

/// What `safe passwd` and `safe move` have in common.
struct ChangeOptions: ParsableArguments {
    @Flag(help: "Replace or delete the backup of another device at the old or the new place.")
    var overwrite = false

    @Flag(help: "Upload even if more than half of the contacts are gone since the last upload.")
    var acceptLoss = false

    @Flag(help: "Cancel an unfinished change of password or place.")
    var abort = false

    var options: SafeKeeper.ChangeOptions {
        var options = SafeKeeper.ChangeOptions()
        options.isOverwriting = overwrite
        options.isAcceptingLoss = acceptLoss
        return options
    }

    /// A change that failed may be made, or begun: the error says so.
    func telling<Result>(
        of chosen: ChosenPlace, _ keeper: ThreemaKeeper, _ body: () throws -> Result
    ) throws -> Result {
        let before = try keeper.safe.status(of: chosen.place)
        do {
            return try chosen.naming { try body() }
        } catch {
            let failure = Failure(error)
            guard let after = try? keeper.safe.status(of: chosen.place) else { throw error }
            if before.oldServer == nil, after.oldServer != nil {
                throw failure.advising(
                    "the change is complete except for the old backup: every push tries to delete it")
            }
            guard after.newServer != nil, !failure.hints.contains(where: { $0.text.contains("--abort") }) else {
                throw error
            }
            let verb = after.isChangingPassword ? "passwd" : "move"
            throw failure.advising(
                "the change has started: the next push finishes it, keytool safe \(verb) --abort \(chosen.argument) cancels it"
            )
        }
    }

    func warn(of result: SafeKeeper.ChangeResult, _ chosen: ChosenPlace, _ output: Output) {
        if result.hasReplacedForeign {
            output.warn("a backup of another device was replaced or deleted; a copy stays in the history for 90 days")
        }
        guard let left = result.left else { return }
        output.warn("the old backup of \(chosen.id) was not deleted: \(left.reasonLeft)")
        if left.isRetried {
            output.hint("every push tries again; keytool safe server --forget-old \(chosen.argument) stops that")
        }
    }

    func members(_ chosen: ChosenPlace, _ result: SafeKeeper.ChangeResult) -> [(String, JSONValue?)] {
        chosen.members([
            ("id", .string(chosen.id.text)), ("server", .server(result.server, nil)),
            ("old_removed", .bool(result.left == nil && !result.isSamePlace)),
            ("old_left", result.left.map { .string($0.word) }),
        ])
    }

    func takeBack(_ chosen: ChosenPlace, _ keeper: ThreemaKeeper, _ output: Output, command: String) throws {
        let id = chosen.id
        let result = try output.busy("contacting the server") {
            try chosen.naming { try keeper.safe.abortChange(at: chosen.place) }
        }
        if let left = result?.left {
            output.warn("the new place of \(id) may still hold a backup: \(left.reasonLeft)")
        }
        let isDeleting = try result == nil && keeper.safe.status(of: chosen.place).isDeleting
        try output.done(
            [result == nil ? "\(id) has no unfinished change" : "cancelled the change of \(id)"]
                + (isDeleting ? ["a deletion of the Safe of \(id) was interrupted"] : []),
            json: .result(
                command,
                chosen.members([
                    ("id", .string(id.text)), ("aborted", .bool(result != nil)),
                    ("new_left", (result?.left).map { .string($0.word) }),
                ])))
        guard isDeleting else { return }
        for way in [WayOut.delete, .pushResumingDeleted] { way.words(chosen.argument).map { output.hint($0.text) } }
    }
}
