import ArgumentParser
import Console
import Encodings
import ThreemaKeeping
import SecureMemory
import Threema

/// Where an identity's private key gets entropy from besides the system.
enum EntropySource: String, ExpressibleByArgument, CaseIterable {
    case keyboard
}

struct IDCreate: Verb {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Create an identity.",
        discussion: """
            Private key and ID are random. No directory knows this ID, so the phone apps cannot restore it. \
            To use an identity that a phone has, export a backup code there, and run: keytool backup import.
            """)

    @ParentCommand var noun: IDCommand
    @OptionGroup var globals: GlobalOptions

    // The IDs that there are would be the wrong ones to offer.
    @Option(help: ArgumentHelp("Use this ID instead of a random one.", valueName: "id"), completion: .list([]))
    var id: ThreemaID?

    @Option(help: ArgumentHelp("Mix the timing of your typing into the private key: keyboard.", valueName: "source"))
    var entropy: EntropySource?

    @OptionGroup var keystore: NewKeystoreOptions

    func run(_ session: Session) throws {
        let (keeper, identity) = try create(session)
        try session.output.done(
            IDShow.lines(of: identity),
            json: .result(
                "id create",
                IDShow.members(of: identity) + [
                    ("registered", false), ("protection", .string(keeper.isProtected ? "passphrase" : "none")),
                ]))
        session.output.hint("no directory knows this ID: the phone apps cannot restore it")
        if !keystore.noPassphrase { session.noteProtection(of: keeper) }
        session.output.hint("make a backup code now: keytool backup export \(identity.id)")
    }

    private func create(_ session: Session) throws -> (ThreemaKeeper, IdentityKeeper.Summary) {
        guard entropy == .keyboard else {
            let keeper = try session.keeperOfNewKeystore(keystore)
            return (keeper, try keeper.identities.create(id, mixing: Span()))
        }
        guard session.dialog.mayAsk, let terminal = ControllingTerminal() else {
            throw UsageFailure("--entropy keyboard needs a terminal")
        }
        let typing = try terminal.collectTyping()
        let keeper = try session.keeperOfNewKeystore(keystore)
        return (keeper, try typing.withBytes { try keeper.identities.create(id, mixing: $0) })
    }
}
