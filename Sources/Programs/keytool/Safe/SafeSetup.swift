import ArgumentParser
import CommandLine
import Console
import Encodings
import Keystore
import SafeKeeping
import ThreemaKeeping
import SafeRules
import SafeWire
import SecureMemory
import Threema
import ThreemaSafe

struct SafeSetup: Verb {
    static let configuration = CommandConfiguration(
        commandName: "setup", abstract: "Choose the server and the password of an identity's Safe.",
        discussion: """
            Tests the server first. Then asks for a new Safe password, derives the Safe key from it, and seals key and \
            server in the keystore. The password itself is not stored and nobody can recover it. You need it, the ID \
            and the server's address to restore the backup on another machine: write them down.
            """)

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: IdentityArgument

    @Option(
        help: ArgumentHelp(
            "Add a further place under this name: 1 to 32 lower-case letters, digits and hyphens (default main).",
            valueName: "place"))
    var name: PlaceName?

    @Flag(help: "Use the Safe password of the place that is set up, which is not asked for: main, or the only one.")
    var samePassword = false

    @OptionGroup(title: "Server")
    var server: ServerOptions

    @Flag(help: "Prepare a new or empty directory: make backups/ and config.")
    var create = false

    @Flag(help: "Only read: a phone writes the backup, and keytool safe mirror fetches it.")
    var readOnly = false

    @Flag(help: "Do not test the server, except that it is not that of another place.")
    var noTest = false

    @Flag(help: "Accept a weak password; only warn.")
    var weakOk = false

    @OptionGroup(title: "Safe password (at least 8 characters)")
    var password: SecretOptions<SafePassword>

    @OptionGroup var keystore: KeystoreOptions

    @OptionGroup var waiting: TimeLimitOptions

    func validate() throws {
        guard !readOnly || !create else { throw ValidationError("--read-only cannot be combined with --create") }
        guard !samePassword || !password.isGiven && !weakOk else {
            throw ValidationError("--same-password cannot be combined with a password or --weak-ok")
        }
    }

    func run(_ session: Session) throws {
        try server.checkAddress(isNeeded: true)
        var keeper = try session.keeper(keystore.passphrase, contactLimits)
        let id = try session.identity(named.id, in: keeper)
        let place = SafePlace(id, name ?? .main)
        guard try !keeper.safe.isSetUp(place) else {
            // A setup that is damaged is no setup: its own error says what to do.
            _ = try keeper.safe.server(of: place)
            throw SafeKeepingError.setupExists(id: id.text, place: place.name.text)
        }
        // Before a server is prepared, and a password is typed.
        try keeper.safe.requireWritable(place)
        let source = samePassword ? try keyPlace(of: id, keeper, session) : nil
        // The server first: who has chosen, written down and typed a password twice must not learn then that it is
        // away. A password that nobody has to type is judged before a directory is prepared for it.
        let isAsking = try source == nil && password.source() == nil && session.dialog.canAsk
        guard try isAsking || server.isNamed else { throw TestedServer.noServer }
        var given = isAsking || source != nil ? nil : try choosePassword(id, session)
        let found = try TestedServer.find(
            server, noTest ? .none : readOnly ? .read : create ? .prepareAndTest : .test, &keeper, contactLimits,
            session)
        let address = found.server.address
        let backupExists: Bool?
        let access = readOnly ? SafeKeeper.Access.readOnly : .readAndWrite
        if let source {
            backupExists = try session.output.busy("contacting the server") {
                try keeper.safe.setUpSafe(place, at: found.server, withKeyOf: source, test: found.test, access: access)
            }
        } else {
            let chosen = given.take()
            let secret = try chosen ?? choosePassword(id, session)
            if isAsking { keeper = session.renewed(keeper, contactLimits) }
            backupExists = try session.output.busy("deriving the Safe key") {
                try keeper.safe.setUpSafe(place, at: found.server, password: secret, test: found.test, access: access)
            }
        }
        let chosen = try session.place(place.name, of: id, in: keeper)
        if !keeper.isProtected { session.noteProtection(of: keeper) }
        let limits = found.test.map {
            "; it accepts up to \(ByteCount.text($0.limits.maxBackupBytes)) and stores a backup for \($0.limits.retentionDays) days"
        }
        try session.output.done(
            [
                "the Safe of \(chosen.label) is at \(address.text)" + (readOnly ? ", for reading only" : "")
                    + (limits ?? "")
            ],
            json: .result(
                "safe setup",
                chosen.members([
                    ("id", .string(id.text)), ("server", .server(address, found.test?.limits)),
                    ("tested", .bool(found.test != nil)), ("backup_exists", backupExists.map { .bool($0) }),
                    ("honours_conditions", (found.test?.honoursConditions).map { .bool($0) }),
                    ("read_only", .bool(readOnly)),
                ])))
        let step: NextStep = readOnly ? .mirror : backupExists == true ? .pull : .push
        try goOn(chosen, keeper, step, isAsking: isAsking, session)
        if isAsking { try session.offerCard(of: chosen, in: keeper) }
    }

    /// A wrong address or network shows after one time limit, and a person can correct it.
    private var contactLimits: TimeLimits {
        var limits = waiting.limits
        limits.repeatsSilence = false
        return limits
    }

    /// What a user does after a setup.
    private enum NextStep {
        case mirror
        case pull
        case push
    }

    /// The first push, if a person wants it; else says what to do next.
    private func goOn(
        _ chosen: ChosenPlace, _ keeper: ThreemaKeeper, _ step: NextStep, isAsking: Bool, _ session: Session
    ) throws {
        guard step != .mirror else {
            return session.output.hint("fetch it now: keytool safe mirror \(chosen.argument)")
        }
        if let identity = try? keeper.identities.summary(chosen.id) {
            session.warnOfGatewaySecret(of: identity, notIn: "a Safe backup")
        }
        guard step != .pull else {
            return session.output.hint(
                "a backup of \(chosen.id) is already there, perhaps from a phone: keytool safe pull \(chosen.argument) restores it"
            )
        }
        let isPushing = try isAsking && asksToPush(session)
        guard isPushing else { return session.output.hint("upload it now: keytool safe push \(chosen.argument)") }
        try pushFirst(chosen, session.renewed(keeper, waiting.limits), session)
    }

    /// The place whose Safe key `--same-password` shares.
    private func keyPlace(of id: ThreemaID, _ keeper: ThreemaKeeper, _ session: Session) throws -> SafePlace {
        guard let first = try session.allPlaces(of: id, in: keeper).first else {
            throw UsageFailure("--same-password: no Safe is set up for \(id) yet")
        }
        return try first.naming { try keeper.safe.keySource(of: id) }
    }

    private func choosePassword(_ id: ThreemaID, _ session: Session) throws -> SecureBytes {
        // A phone has chosen the password already.
        guard !readOnly else {
            return try SecretAsker(password, session.dialog).open(.for(id.text), isWrong: { _ in false }) {
                $0.withBytes { SecureBytes(copying: $0) }
            }
        }
        return try SecretAsker(password, session.dialog).create(
            .for(id.text), minimum: SafeKeys.minimumPasswordLength, weak: weakOk ? .accept : .ask)
    }

    private func asksToPush(_ session: Session) throws -> Bool {
        guard session.dialog.mayAsk, let terminal = ControllingTerminal() else { return false }
        return try terminal.askYesNo("Upload the first backup now?")
    }

    private func pushFirst(_ place: ChosenPlace, _ keeper: ThreemaKeeper, _ session: Session) throws {
        let result = try session.output.busy("uploading the Safe backup of \(place.label)") {
            try keeper.safe.push(place.place, SafeKeeper.PushOptions())
        }
        session.output.note(
            "uploaded \(ByteCount.text(result.upload?.bytes ?? 0)) to \(result.server.name), verified")
    }
}
