import ArgumentParser
import CommandLine
import Console
import KeyWrapping
import Keystore

struct KeyUnprotect: Verb {
    static let configuration = CommandConfiguration(
        commandName: "unprotect", abstract: "Remove the passphrase from the keystore.",
        discussion: """
            Afterwards, anyone who can read the directory has the keys. Older copies of the directory still open \
            only with the old passphrase. Jobs that still give a passphrase will fail (12).
            """)

    @OptionGroup var globals: GlobalOptions

    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        let locked = try LockedKeystore(at: session.keystorePath)
        guard locked.isProtected else {
            return try session.reportProtection("key unprotect", "there is no passphrase to remove")
        }
        if !yes {
            session.output.note("without a passphrase, anyone who can read the keystore has the keys")
            try session.dialog.confirm("remove the passphrase")
        }
        try session.unlock(locked, keystore.passphrase, from: .passphrase).unprotect()
        session.endUnlock()
        let protection = WrappedKey.Protection.none
        try session.output.done(
            ["the keystore has no passphrase now"], json: .result("key unprotect", protection.members))
        session.output.hint(
            "jobs that still give a passphrase will fail (12): remove --passphrase-…, KEYTOOL_PASSPHRASE_… and the "
                + "systemd credential keytool.passphrase from them")
        session.output.hint("older copies of the directory still open only with the old passphrase")
    }
}
