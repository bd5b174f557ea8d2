import ArgumentParser
import CommandLine
import Console
import ThreemaKeeping
import Threema

struct ContactVerify: Verb {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Compare a contact's key with its QR code, and raise the contact to level 3.",
        discussion: """
            The code must come from the contact's own screen: as a picture, or from a scanner on stdin. Fails (19) and \
            names both keys if the contact, or the identity's directory, has another one.
            """)

    @OptionGroup var globals: GlobalOptions

    @Argument(help: "The 3mid: code that you have scanned, - for stdin.")
    var code: String?

    @OptionGroup var card: ContactCardOptions

    @OptionGroup var named: IdentityOption

    @OptionGroup var comparison: CodeComparisonOptions

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        try keystore.passphrase.requireOtherSource(ifTaken: card.takesStandardInput(code))
        let code = try card.code(code)
        let (keeper, id) = try session.open(named.identity, keystore)
        do {
            let comparison = try comparison.comparison(of: code, .fullyVerified, for: id, in: keeper, session)
            let outcome = try keeper.contacts.verify(
                .init(code, level: .fullyVerified), of: id, comparing: comparison.compare)
            try session.output.done(
                ["\(code.id) \(outcome.words)"] + comparison.lines + code.publicKey.labelledLines,
                json: outcome.json("contact verify", id, code, comparison.members))
            comparison.note.map(session.output.note)
        } catch let error as ProfileKeepingError {
            throw error.failureOfVerification(naming: keeper.option(naming: id))
        }
    }
}
