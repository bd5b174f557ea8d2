import ArgumentParser
import Encodings
import SafeKeeping
import Threema

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

    @Flag(help: "Do not say that the keystore is not protected by a passphrase.")
    var noPassphrase = false

    func run(_ session: Session) throws {
        let identity = try session.keeperOfNewKeystore().createIdentity(id)
        try session.output.done(
            IDShow.lines(of: identity),
            json: .result(
                "id create",
                IDShow.members(of: identity) + [("registered", false), ("protection", "none")]))
        session.output.hint("an ID made offline is known to no directory: the phone apps will not restore it")
        if !noPassphrase { session.output.note("the keystore is not protected by a passphrase") }
        session.output.hint("write it down now: keytool backup export \(identity.id)")
    }
}
