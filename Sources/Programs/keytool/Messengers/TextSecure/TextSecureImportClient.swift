import Age
import ArgumentParser
import CommandLine
import Console
import Encodings
import Ratchet
import SecureMemory
import TextSecure

struct TextSecureImportClient: Verb {
    static let configuration = CommandConfiguration(
        commandName: "import-client", abstract: "Write the master secret of a client into an age file.",
        discussion: """
            Reads the wrap of the iOS client (RNCryptor 3, as bytes or in Base64) or of the Android client \
            (preferences, XML). Both are quick to guess, so the 36 bytes get a better one. Nothing is stored in the \
            keystore, and no old form is written.
            """)

    @OptionGroup var globals: GlobalOptions

    @Argument(help: "The file of the client, or - for stdin.", completion: .file())
    var file: String

    @OptionGroup var written: DocumentOptions

    @OptionGroup(title: "Password of the client")
    var password: SecretOptions<ClientPassword>

    @OptionGroup(title: "Passphrase of the new file (at least 8 characters)")
    var passphrase: SecretOptions<FilePassphrase>

    @OptionGroup var recipients: AgeRecipientOptions

    @Flag(help: "Accept a weak passphrase; only warn.")
    var weakOk = false

    func run(_ session: Session) throws {
        // Refuse before asking, not after.
        let target = try written.target(outside: session.reserved)
        _ = try recipients.recipients(insteadOf: passphrase)
        let wrap = try WrappedMasterSecret(
            try InputFile(operand: file).readBytes(.bytes, limit: AndroidPreferences.maxFileCount))
        let secret = try wrap.open(password, of: file, session)
        let protection = try recipients.protection(
            or: passphrase, .named(target.path ?? "with the master secret"), weak: weakOk ? .accept : .ask, session)
        let file = try protection.seal(secret.held.bytes, session.output)
        try target.write(file.span) { path in
            try session.output.done(
                ["wrote the master secret to \(path)", "form          \(wrap.words)"],
                json: TextSecureMessenger.result(
                    "import-client",
                    [("file", .string(path)), ("bytes", .number(file.count)), ("form", .string(wrap.name))]))
        }
        if !target.isWritten(to: self.file) {
            session.output.hint("the client's file still opens with its password: delete it if you do not need it")
        }
    }
}
