import ArgumentParser
import KeyWrapping
import Keystore

struct KeyPasswd: Verb {
    static let configuration = CommandConfiguration(
        commandName: "passwd", abstract: "Change the keystore's passphrase.",
        discussion: "Older copies of the folder still open with the old passphrase.")

    @ParentCommand var noun: KeyCommand
    @OptionGroup var globals: GlobalOptions
    @OptionGroup var wrapping: WrappingOptions

    @OptionGroup(title: "Present keystore passphrase")
    var passphrase: SecretOptions<KeystorePassphrase>

    @OptionGroup(title: "New keystore passphrase (at least 8 characters)")
    var newPassphrase: SecretOptions<NewKeystorePassphrase>

    func run(_ session: Session) throws {
        let locked = try LockedKeystore(at: session.keystorePath)
        guard locked.isProtected else {
            _ = try session.unlock(locked, passphrase)
            throw CommandFailure(
                failure: Failure(
                    .absent, "the keystore is not protected by a passphrase", hints: "keytool key protect"))
        }
        let keystore = try session.unlock(locked, passphrase, usingKeyring: false)
        let secret = try SecretAsker(newPassphrase, session).create(
            "", minimum: WrappedKey.minimumPassphraseLength, mayBeWeak: wrapping.weakOk)
        try session.output.busy("deriving the key of the passphrase") {
            try keystore.protect(by: secret, wrapping.scheme)
        }
        try session.reportProtection("key passwd", "the passphrase is changed")
        session.output.hint("older copies of the folder still open with the old passphrase")
    }
}
