import ArgumentParser
import CommandLine
import Console
import KeyWrapping
import Keystore

struct KeyProtect: Verb {
    static let configuration = CommandConfiguration(
        commandName: "protect", abstract: "Protect the keystore with a passphrase.",
        discussion: """
            Only the file of the master key is rewritten; the identities do not change. Older copies of the \
            directory still open without a passphrase.
            """)

    @OptionGroup var globals: GlobalOptions
    @OptionGroup var wrapping: WrappingOptions

    @OptionGroup(title: "New keystore passphrase (at least 8 characters)")
    var passphrase: SecretOptions<KeystorePassphrase>

    func run(_ session: Session) throws {
        let locked = try LockedKeystore(at: session.keystorePath)
        guard !locked.isProtected else {
            throw Failure(
                .exists, "the keystore is already protected by a passphrase",
                hints: "keytool key passwd changes it, keytool key unprotect removes it")
        }
        let keystore = try locked.unlock()
        let secret = try SecretAsker(passphrase, session.dialog).create(
            .only, minimum: WrappedKey.minimumPassphraseLength, weak: wrapping.weakOk ? .accept : .ask)
        try session.output.busy("deriving the key of the passphrase") {
            try keystore.protect(by: secret, wrapping.scheme)
        }
        session.endUnlock()
        try session.reportProtection("key protect", "the keystore is protected now")
        session.output.hint("nobody can recover a forgotten passphrase: make a backup code, too")
        session.output.hint("older copies of the directory still open without a passphrase")
    }
}

/// How a new passphrase is put on the master key.
struct WrappingOptions: ParsableArguments {
    @Option(help: ArgumentHelp("argon2id, or scrypt, which the whitepaper describes.", valueName: "scheme"))
    var scheme = WrappedKey.Scheme.argon2id

    @Flag(help: "Accept a weak passphrase; only warn.")
    var weakOk = false
}

extension Session {
    /// Reads again what stands there now, and says it.
    func reportProtection(_ command: String, _ lead: String) throws {
        let protection = try LockedKeystore(at: keystorePath).protection
        try output.done(["\(lead): \(protection.words)"], json: .result(command, protection.members))
    }

    /// Removes the master key from the kernel's keyring after a change of its protection. The key stays the same, so it
    /// would open the keystore without the new passphrase.
    ///
    /// Warns if the key is still there. A kernel that refuses its keyring has none.
    func endUnlock() {
        guard let locked = try? LockedKeystore(at: keystorePath) else { return }
        do {
            if try locked.forgetUnlocked() { output.note("the key was removed from the kernel's keyring") }
        } catch {
            guard locked.unlockFromKeyring() != nil else { return }
            output.warn("the key is still in the kernel's keyring: keytool key lock removes it")
        }
    }
}
