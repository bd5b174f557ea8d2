import ArgumentParser
import CommandLine
import Console
import KeyWrapping
import SecureMemory

/// The passphrase of the keystore that a command opens or, if it is missing, creates.
struct NewKeystoreOptions: ParsableArguments {
    @OptionGroup(title: "Keystore passphrase (of a new keystore: at least 8 characters)")
    var passphrase: SecretOptions<KeystorePassphrase>

    @Flag(help: "Create a new keystore without a passphrase; do not ask for one, and do not warn.")
    var noPassphrase = false

    @Flag(help: "Accept a weak passphrase for a new keystore; only warn.")
    var weakOk = false

    /// What is to protect a new keystore; nil for nothing.
    func newPassphrase(_ session: Session) throws -> SecureBytes? {
        if noPassphrase {
            guard !passphrase.isGiven else {
                throw UsageFailure("--no-passphrase and a passphrase for the new keystore cannot be combined")
            }
            return nil
        }
        do {
            let secret = try SecretAsker(passphrase, session.dialog).create(
                .only, minimum: WrappedKey.minimumPassphraseLength, weak: weakOk ? .accept : .ask,
                empty: .isNoneIfConfirmed(
                    "Without a passphrase, anyone who can read the keystore has its keys. Create it without one?"))
            if secret.count == 0 { return nil }
            return secret
        } catch SecretError.none {
            // Nobody can be asked: the command says afterwards what that means.
            return nil
        }
    }
}
