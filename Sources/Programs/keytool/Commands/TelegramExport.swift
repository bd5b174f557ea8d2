import ArgumentParser
import Console
import Encodings
import Telegram

struct TelegramExport: Verb {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Export a Telegram account as an age file.",
        discussion: """
            The file contains all keys of the account, with their marks. The program age opens it, too. keytool \
            telegram import reads it again.
            """)

    @ParentCommand var noun: TelegramCommand
    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: TelegramAccountArgument

    @OptionGroup var written: DocumentOptions

    @OptionGroup(title: "Passphrase of the file (at least 8 characters)")
    var passphrase: SecretOptions<FilePassphrase>

    @OptionGroup var recipients: AgeRecipientOptions

    @Flag(help: "Accept a weak passphrase; only warn.")
    var weakOk = false

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        // Refuse before asking, not after.
        let target = try written.target(outside: session.reserved)
        _ = try recipients.recipients(insteadOf: passphrase)
        let account = try named.account(in: session.telegram(keystore.passphrase))
        let protection = try recipients.protection(
            or: passphrase, .named(target.path ?? "with \(account.id)"), weak: weakOk ? .accept : .ask, session)
        let file = try protection.seal(account.encoded(), session.output)
        try target.write(file.span) {
            guard let path = target.path else { return }
            try session.output.done(
                ["wrote \(account.id) with \(Counted.text(account.keys.count, "key")) to \(path)"],
                json: .telegram("export", [("file", .string(path)), ("bytes", .number(file.count))] + account.members))
        }
        account.sayLost(session.output)
    }
}
