import ArgumentParser
import CommandLine
import Console
import SecureMemory
import Telegram

/// What protects a file that `telegram protect` and `telegram passwd` write.
struct TelegramProtectionOptions: ParsableArguments {
    @OptionGroup(title: "New passphrase of the file (at least 8 characters)")
    var newPassphrase: SecretOptions<NewFilePassphrase>

    @OptionGroup var recipients: AgeRecipientOptions

    @Flag(help: "Accept a weak passphrase; only warn.")
    var weakOk = false

    /// Refuses wrong recipients before anything is asked for.
    func check() throws { _ = try recipients.recipients(insteadOf: newPassphrase) }

    /// Encrypts what was read for the recipients, or under the new passphrase.
    /// - Parameter path: of the new file.
    /// - Returns: an age file.
    func seal(_ opened: TelegramFile, for path: String, _ session: Session) throws -> [UInt8] {
        try recipients.protection(or: newPassphrase, .named(path), weak: weakOk ? .accept : .ask, session)
            .seal(opened.plain, session.output)
    }
}
