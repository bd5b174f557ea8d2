import ArgumentParser
import Console
import Encodings
import TextSecure

struct TextSecureExport: Verb {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Export a TextSecure account as an age file.",
        discussion: """
            The file contains the account with all of its keys, without sessions. The program age opens it, too. \
            keytool textsecure import reads it again.
            """)

    @ParentCommand var noun: TextSecureCommand
    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: TextSecureAccountArgument

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
        let account = try named.account(in: session.textSecure(keystore.passphrase))
        let protection = try recipients.protection(
            or: passphrase, .named(target.path ?? "with \(account.number)"), weak: weakOk ? .accept : .ask, session)
        let file = try protection.seal(account.encoded(), session.output)
        let (number, members) = (account.number, account.members)
        try target.write(file.span) {
            guard let path = target.path else { return }
            try session.output.done(
                ["wrote the account \(number) to \(path)"],
                json: .textSecure("export", [("file", .string(path)), ("bytes", .number(file.count))] + members))
        }
    }
}
