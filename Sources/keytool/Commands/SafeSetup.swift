import ArgumentParser
import Encodings
import SafeKeeping
import SafeWire
import Threema

struct SafeSetup: Verb {
    static let configuration = CommandConfiguration(
        commandName: "setup", abstract: "Choose server and password of an identity's Safe.",
        discussion: """
            The Safe key is derived from the password once and sealed in the keystore with the server's \
            address. The password is not kept, and nobody can recover it: with the ID, it is all that \
            is needed to restore the backup.
            """)

    @ParentCommand var noun: SafeCommand
    @OptionGroup var globals: GlobalOptions

    @Argument(help: "The identity; may be left out where there is only one.")
    var id: ThreemaID?

    @OptionGroup(title: "Server")
    var server: ServerOptions

    @Flag(help: "Prepare a new or empty folder: make backups/ and config.")
    var create = false

    @Flag(help: "Do not ask the server anything.")
    var noTest = false

    @Flag(help: "Take a weak password with a warning alone.")
    var weakOk = false

    @OptionGroup(title: "Safe password (at least 8 characters)")
    var password: SecretOptions<SafePassword>

    @OptionGroup(title: "Keystore passphrase")
    var passphrase: SecretOptions<KeystorePassphrase>

    @OptionGroup var waiting: PatienceOptions

    func run(_ session: Session) throws {
        let keeper = try session.keeper(passphrase, waiting.patience)
        let id = try session.identity(id, in: keeper)
        guard try !keeper.hasSafe(id) else { throw SafeKeepingError.setupExists(id: id.text) }
        guard let server = try server.named(isNeeded: true, session) ?? server.asked(session) else {
            throw UsageFailure(
                "which server?", hint: "--server https://… or file:///DIR, with --create where it is new")
        }
        let address = server.address
        let secret = try SecretAsker(password, session).create(
            "for \(id)", minimum: SafeKeys.minimumPasswordLength, mayBeWeak: weakOk)
        func setUp(preparing: Bool) throws -> SafeKeeper.SetupResult {
            try session.output.busy(noTest ? "deriving the Safe key" : "deriving the Safe key and trying the server") {
                try keeper.setUpSafe(
                    of: id, at: server.copy, password: secret, preparing: preparing, testing: !noTest)
            }
        }
        let result: SafeKeeper.SetupResult
        do {
            result = try setUp(preparing: create)
        } catch SafeExchangeError.notPrepared(let name) where !create {
            guard try mayPrepare(address, session) else {
                throw CommandFailure(
                    failure: SafeExchangeError.notPrepared(name).failure.advising("--create prepares a new folder"))
            }
            result = try setUp(preparing: true)
        }
        let limits = result.limits.map {
            "; it takes \(ByteCount.text($0.maxBackupBytes)) and keeps a backup \($0.retentionDays) days"
        }
        try session.output.done(
            ["the Safe of \(id) is \(address.text)" + (limits ?? "")],
            json: .result(
                "safe setup",
                [
                    ("id", .string(id.text)), ("server", .server(address, result.limits)),
                    ("tested", .bool(!noTest)), ("backup_exists", noTest ? nil : .bool(result.backupExists)),
                ]))
        session.noteProtection(of: keeper)
        session.output.hint(
            result.backupExists
                ? "a backup of \(id) is there already, perhaps a phone's: keytool safe pull \(id) takes it over"
                : "upload it now: keytool safe push \(id)")
    }

    /// Whether somebody is there who wants a bare folder to be prepared.
    private func mayPrepare(_ address: SafeServerAddress, _ session: Session) throws -> Bool {
        guard session.mayAsk, let terminal = ControllingTerminal() else { return false }
        return try terminal.askYesNo("\(address.text) is not prepared as a Safe. Make backups/ and config there?")
    }
}
