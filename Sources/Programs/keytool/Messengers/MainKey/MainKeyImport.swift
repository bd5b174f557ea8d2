import Age
import ArgumentParser
import CommandLine
import Console
import Encodings
import MessengerKeeping
import ProtonMainKey
import SecureMemory

struct MainKeyImport: Verb {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import a MainKey from a file, or from the app's items.",
        discussion: """
            The file is an age file whose content is the key, or the key itself: 32 bytes, hexadecimal or Base64. A \
            directory has the app's items as files: NoneProtection, or PinProtection, PinProtection.salt and \
            PinProtection.version. In the keystore a new PIN or passphrase protects the key, or age recipients do; \
            then --identity also proves that one of them can open it, or you confirm. A \
            key that the keystore holds is never replaced. The app's items are not authenticated: --proof opens a \
            value of the app with the key before it is stored. --weak-ok also accepts a weak PIN.
            """)

    @OptionGroup var globals: GlobalOptions

    @Argument(help: "The file, - for stdin, or a directory with the app's items.", completion: .file())
    var file: String

    @Option(help: ArgumentHelp("A value of the app that the key has to open.", valueName: "file"), completion: .file())
    var proof: String?

    @Flag(help: "Only open the file and show what it contains; store nothing.")
    var check = false

    @OptionGroup var recipients: AgeRecipientOptions

    @Flag(name: .customLong("no-pin"), help: "Store the key without a PIN; do not ask for one, and do not warn.")
    var noPIN = false

    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    @OptionGroup var opening: MainKeyFileOpening

    @OptionGroup(title: "New PIN or passphrase of the MainKey (at least 4 characters)")
    var newPIN: SecretOptions<NewMainKeyPIN>

    @OptionGroup var keystore: NewKeystoreOptions

    func run(_ session: Session) throws {
        let recipients = try recipients.recipients(insteadOf: newPIN)
        try MainKeyKeeper.check(recipients)
        guard !noPIN || !newPIN.isGiven && recipients.isEmpty else {
            throw UsageFailure("--no-pin cannot be combined with a PIN or a recipient")
        }
        // Read once: they may come from stdin, and may both open the file and prove a recipient.
        let identities = recipients.isEmpty ? nil : try opening.identity.identities(session)
        let read = try ReadMainKey(at: file, opening, identities: identities, session)
        let id = read.key.checkValue
        read.warnOfForgery(at: file, session)
        try prove(read, session)
        let members: [(String, JSONValue?)] = [
            ("form", .string(read.form.rawValue)),
            ("authenticated", .bool(!read.form.isUnauthenticated)), ("proven", .bool(proof != nil)),
            ("clear_copy", .bool(read.hasClearCopy)),
        ]
        if check {
            read.warnOfCopy(at: file, session)
            return try session.output.done(
                ["\(ReadMainKey.name(file)) opens: the MainKey \(id)", "form        \(read.form.words)"],
                json: .mainKey("import", id, members + [("stored", false)]))
        }
        let present = try session.mainKeysIfPresent(keystore)
        if let present, try present.ids().contains(id) {
            // The file may be the only copy: what is said of it counts on a record that can be read.
            _ = try present.kinds(id)
            read.warnOfCopy(at: file, session, until: "keytool mainkey unlock \(id) has opened the key of the keystore")
            return try session.output.done(
                ["already in the keystore: \(id); its protection was not changed"],
                json: .mainKey("import", id, members + [("stored", false)]))
        }
        if let identities { try proveRecipients(recipients, identities, read, session) }
        // Before a keystore is created: a PIN that is refused leaves nothing.
        let protection = try protection(recipients, session)
        let keeper = try present ?? session.mainKeys(of: session.newKeystore(keystore))
        let kinds = protection.kind
        try session.output.busy("sealing the MainKey") { try keeper.add(read.key, protection) }
        try session.output.done(
            ["imported the MainKey \(id)", "protection  \(kinds.words)"],
            json: .mainKey(
                "import", id, members + [("stored", true), ("protections", kinds.json)]))
        read.warnOfCopy(at: file, session)
        if !noPIN { session.noteProtection(ofMainKey: kinds, keeper) }
        if present == nil, !keystore.noPassphrase { session.noteProtection(isProtected: keeper.isProtected) }
    }

    private func prove(_ read: borrowing ReadMainKey, _ session: Session) throws {
        guard let proof else {
            if read.form.isUnauthenticated {
                session.output.hint("--proof FILE opens a value of the app with the key before it is stored")
            }
            return
        }
        let value = try InputFile(path: proof).readBytes(.bytes, limit: LockedValue.maxCount)
        do throws(LockedValueError) {
            _ = try LockedValue.openVersion1(value.span, key: read.key).kind
        } catch {
            throw MainKeyFileError.notProven(path: proof, error)
        }
    }

    /// Nothing but the recipients' secret keys will open the key in the keystore: one of them proves that it can, or the
    /// user agrees.
    private func proveRecipients(
        _ recipients: [AgeRecipient], _ identities: [HeldAgeIdentity], _ read: borrowing ReadMainKey,
        _ session: Session
    ) throws {
        guard !identities.contains(where: { recipients.contains($0.identity.recipient) }) else { return }
        // Those that have not opened the file can only be a proof.
        guard identities.isEmpty || read.isOpenedByIdentity else { throw MainKeyKeepingError.wrongIdentity(nil) }
        if !yes { try session.ask(.unprovenKey, read.key.checkValue) }
    }

    private func protection(_ recipients: [AgeRecipient], _ session: Session) throws -> MainKeyKeeper.NewProtection {
        if noPIN { return .clear }
        if !recipients.isEmpty { return .key(recipients) }
        let secret = try NewPINOptions.create(
            newPIN, weak: keystore.weakOk ? .accept : .ask, session, empty: .isNone)
        return secret.count == 0 ? .clear : .pin(secret)
    }
}
