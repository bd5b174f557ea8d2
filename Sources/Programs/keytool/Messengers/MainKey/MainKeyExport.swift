import ArgumentParser
import CommandLine
import Console
import Encodings
import ProtonMainKey
import SecureMemory

struct MainKeyExport: Verb {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write a MainKey to an age file, or as the app's items.",
        discussion: """
            The file is encrypted under a passphrase or for age recipients; age -d opens it. Its content is the 32 \
            bytes of the key. --format v1 writes a new directory with the app's three items under a PIN, which are \
            not authenticated. With --reveal-private-key the key itself is written, unencrypted.
            """)

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: AccountArgument<MainKeyMessenger>

    @OptionGroup var written: DocumentOptions

    @Option(help: ArgumentHelp("age, or v1 for the app.", valueName: "format"))
    var format = MainKeyFormat.age

    @Flag(help: "Write the 32 bytes of the key without encryption.")
    var revealPrivateKey = false

    @OptionGroup var recipients: AgeRecipientOptions

    @Flag(help: "Accept a weak passphrase or PIN; only warn.")
    var weakOk = false

    @OptionGroup(title: "Passphrase of the file (at least 8 characters)")
    var passphrase: SecretOptions<FilePassphrase>

    @OptionGroup(title: "PIN of the app's items (at least 4 characters)")
    var newPIN: SecretOptions<NewMainKeyPIN>

    @OptionGroup var opening: MainKeyOpening

    @OptionGroup var keystore: KeystoreOptions

    func validate() throws {
        guard !revealPrivateKey || recipients.texts.isEmpty && !passphrase.isGiven else {
            throw ValidationError(
                "--reveal-private-key writes an unencrypted file: it takes no passphrase or recipient")
        }
        guard format == .age || !revealPrivateKey && recipients.texts.isEmpty && !passphrase.isGiven && !written.force
        else {
            throw ValidationError("--format v1 takes a new directory and a PIN, and none of the options of a file")
        }
        guard format == .v1 || !newPIN.isGiven else { throw ValidationError("a new PIN is for --format v1 only") }
    }

    func run(_ session: Session) throws {
        if format == .v1 { return try writeItems(session) }
        _ = try recipients.recipients(insteadOf: passphrase)
        let target = try written.target(outside: session.reserved)
        let (keeper, id) = try session.open(named, keystore)
        try session.withMainKey(id, in: keeper, opening) { opened in
            if revealPrivateKey {
                return try opened.key.bytes.withBytes { try write($0, id, "raw", target, session) }
            }
            let protection = try recipients.protection(or: passphrase, .only, weak: weakOk ? .accept : .ask, session)
            let file = try protection.seal(opened.key.bytes, session.output)
            try write(file.span, id, "age", target, session)
        }
        if revealPrivateKey { session.output.warn("anyone who has the file has the MainKey") }
    }

    private func writeItems(_ session: Session) throws {
        let directory = try ItemDirectory(written.output, outside: session.reserved)
        let (keeper, id) = try session.open(named, keystore)
        try session.withMainKey(id, in: keeper, opening) { opened in
            let pin = try NewPINOptions.create(newPIN, weak: weakOk ? .accept : .ask, session)
            let protection = try session.output.busy("deriving the key of the PIN") {
                try PINProtection.lock(opened.key, pin: pin)
            }
            try directory.write(protection.items)
        }
        try session.output.done(
            ["wrote the MainKey \(id) to \(written.output)"],
            json: .mainKey("export", id, [("file", .string(written.output)), ("form", "v1")]))
        session.output.warn("the app's items are not authenticated, and a PIN of few digits is guessed in hours")
    }

    private func write(
        _ bytes: Span<UInt8>, _ id: CheckValue, _ form: String, _ target: DocumentTarget, _ session: Session
    ) throws {
        try target.write(bytes) { path in
            try session.output.done(
                ["wrote the MainKey \(id) to \(path)"],
                json: .mainKey(
                    "export", id,
                    [("file", .string(path)), ("form", .string(form)), ("bytes", .number(bytes.count))]))
        }
    }
}

/// How a MainKey is written, as it is spelled.
enum MainKeyFormat: String, ExpressibleByArgument, CaseIterable {
    case age
    case v1
}
