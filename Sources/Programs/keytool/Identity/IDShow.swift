import ArgumentParser
import CommandLine
import Console

struct IDShow: Verb {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show an identity's public key.",
        discussion: """
            The private key is never shown, and the API secret of a Gateway ID only with --reveal-gateway-secret. For the identity of another messenger, what that messenger has in its place.
            """)

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: AnyIdentityArgument

    @Flag(help: "Print the API secret of a Gateway ID instead.")
    var revealGatewaySecret = false

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        let keystore = try session.keystore(keystore.passphrase)
        let owner = try session.identity(named.name, in: keystore)
        if revealGatewaySecret { return try ThreemaMessenger.revealGatewaySecret(of: owner, in: keystore, session) }
        let summary = try session.messengers.summary(of: owner, in: session, keystore)
        try session.output.data(
            summary.lines, json: .result("id show", summary.alone ?? owner.members + summary.members))
    }
}
