import ArgumentParser
import Encodings
import SafeKeeping
import SecureMemory
import Threema

/// Where an identity's private key gets entropy from besides the system.
enum EntropySource: String, ExpressibleByArgument, CaseIterable {
    case keyboard
}

struct IDCreate: Verb {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Make a new identity.",
        discussion: """
            The private key comes from the system's random numbers. The ID is drawn at random too: no \
            directory knows it, so the phone apps will not restore it.
            """)

    @ParentCommand var noun: IDCommand
    @OptionGroup var globals: GlobalOptions

    @Option(help: ArgumentHelp("Take this ID instead of a random one.", valueName: "id"))
    var id: ThreemaID?

    @Option(help: ArgumentHelp("Mix the timing of your typing into the private key: keyboard.", valueName: "source"))
    var entropy: EntropySource?

    @Flag(help: "Do not say that the keystore is not protected by a passphrase.")
    var noPassphrase = false

    func run(_ session: Session) throws {
        let identity = try create(session)
        try session.output.done(
            IDShow.lines(of: identity),
            json: .result(
                "id create",
                IDShow.members(of: identity) + [("registered", false), ("protection", "none")]))
        session.output.hint("an ID made offline is known to no directory: the phone apps will not restore it")
        if !noPassphrase { session.output.note("the keystore is not protected by a passphrase") }
        session.output.hint("write it down now: keytool backup export \(identity.id)")
    }

    private func create(_ session: Session) throws -> SafeKeeper.Summary {
        guard entropy == .keyboard else {
            return try session.keeperOfNewKeystore().createIdentity(id, mixing: Span())
        }
        guard session.mayAsk, let terminal = ControllingTerminal() else {
            throw UsageFailure("--entropy keyboard needs a terminal to type on")
        }
        let typing = try terminal.collectTyping()
        return try typing.withBytes { try session.keeperOfNewKeystore().createIdentity(id, mixing: $0) }
    }
}
