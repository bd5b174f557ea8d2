import ArgumentParser
import CommandLine
import Console
import Encodings
import SecureMemory
import Threema
import ThreemaKeeping

struct RevokeSet: Verb {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Set the revocation password of an identity at the directory.",
        discussion: """
            The directory gets a hash of the password, and replaces an earlier one. Anyone who knows the password can \
            revoke the identity without its private key: keytool id revoke.
            """)

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: IdentityArgument

    @OptionGroup(title: "Revocation password (at least 8 characters)")
    var password: SecretOptions<RevocationPassword>

    @Flag(help: "Accept a weak revocation password; only warn.")
    var weakOk = false

    @OptionGroup(title: "Directory")
    var directory: DirectoryOptions

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        let at = try DirectorySession(named.id, directory, keystore.passphrase, session)
        let secret = try SecretAsker(password, session.dialog).create(
            .for(at.id.text), minimum: RevocationKey.minimumPasswordLength, weak: weakOk ? .accept : .ask)
        let key = secret.withBytes { RevocationKey(password: $0) }
        try DirectoryKeepingError.advising("it may be set already: keytool revoke check \(at.id)") {
            try session.output.busy("asking the directory") {
                try at.work.setRevocationKey(key, of: at.id, at: at.server)
            }
        }
        try session.output.done(
            ["the revocation password of \(at.id) is set"],
            json: .result("revoke set", [("id", .string(at.id.text)), ("set", true)]))
    }
}
