import ArgumentParser
import Console
import Encodings
import Ratchet
import SecureMemory
import TextSecure

struct TextSecureShow: Verb {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a TextSecure account: server, registration ID, fingerprint and prekeys.",
        discussion: "The private identity key is shown only with --reveal-private-key.")

    @ParentCommand var noun: TextSecureCommand
    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: TextSecureAccountArgument

    @Flag(help: "Also print the private identity key, in Base64.")
    var revealPrivateKey = false

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        let account = try named.account(in: session.textSecure(keystore.passphrase))
        let marks = SecretMarks()
        let key = revealPrivateKey ? marks[0] : nil
        try session.output.reveal(
            account.lines + (key.map { ["private key   \($0)"] } ?? []),
            json: .textSecure("show", account.members + [("private_key", key.map { .string($0) })]),
            marks, secrets: key == nil ? 0 : 1
        ) { _, text in
            account.identity.held.bytes.withBytes { Base64.encode($0, appendingTo: &text) }
        }
    }
}
