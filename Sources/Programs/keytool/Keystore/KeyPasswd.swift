import ArgumentParser
import CommandLine
import Console
import KeyWrapping
import Keystore
import SecureMemory

struct KeyPasswd: Verb {
    static let configuration = CommandConfiguration(
        commandName: "passwd", abstract: "Change the keystore's passphrase.",
        discussion: "Older copies of the directory still open with the old passphrase.")

    @OptionGroup var globals: GlobalOptions
    @OptionGroup var wrapping: WrappingOptions

    @OptionGroup(title: "Current keystore passphrase")
    var passphrase: SecretOptions<KeystorePassphrase>

    @OptionGroup(title: "New keystore passphrase (at least 8 characters)")
    var newPassphrase: SecretOptions<NewKeystorePassphrase>

    func run(_ session: Session) throws {
        let locked = try LockedKeystore(at: session.keystorePath)
        guard locked.isProtected else {
            _ = try session.unlock(locked, passphrase)
            throw Failure(.absent, "the keystore is not protected by a passphrase", hints: "keytool key protect")
                .because(of: "not_protected")
        }
        var present: SecureBytes?
        let keystore = try SecretAsker(passphrase, session.dialog).open(
            .only, isWrong: { $0 as? KeyFileError == .notOpened }
        ) {
            passphrase in
            let keystore = try session.output.busy("opening the keystore") {
                try locked.unlock(passphrase: passphrase)
            }
            present = passphrase.withBytes { SecureBytes(copying: $0) }
            return keystore
        }
        let secret = try SecretAsker(newPassphrase, session.dialog).create(
            .only, minimum: WrappedKey.minimumPassphraseLength, weak: wrapping.weakOk ? .accept : .ask)
        guard let present, !Self.areEqual(present, secret) else {
            throw UsageFailure(
                "the new passphrase is the same as the current one; nothing was changed", hint: "choose another one")
        }
        try session.output.busy("deriving the key of the passphrase") {
            try keystore.protect(by: secret, wrapping.scheme)
        }
        session.endUnlock()
        try session.reportProtection("key passwd", "the passphrase was changed")
        session.output.hint("older copies of the directory still open with the old passphrase")
    }

    private static func areEqual(_ left: borrowing SecureBytes, _ right: borrowing SecureBytes) -> Bool {
        left.withBytes { left in right.withBytes { ConstantTime.areEqual(left, $0) } }
    }
}
