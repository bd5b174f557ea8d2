import ArgumentParser
import AtomicFiles
import CommandLine
import Console
import Encodings
import Paper
import QRCode
import SafeKeeping
import Threema
import ThreemaKeeping
import ThreemaRecords

/// What a document of several pages is written as.
enum DocumentFormat: String, FileFormat {
    case pdf
}

struct BackupKit: Verb {
    static let configuration = CommandConfiguration(
        commandName: "kit",
        abstract: "Write an emergency kit to print: a backup code, the Safe, and what to do in order.",
        discussion: """
            It is for a person who never saw keytool: the new backup code with its QR code, where the Safe is, each \
            command as it is typed, and a line for each password. It holds no password. No request is sent.
            """)

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: IdentityArgument

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The new file (PDF, mode 0600), or - for stdout.", valueName: "file.pdf"),
        completion: .file(extensions: DocumentFormat.allCases.map(\.rawValue)))
    var output: String

    @OptionGroup var language: PageLanguageOption

    @Flag(help: "Overwrite an existing file.")
    var force = false

    @Flag(help: "Accept a weak password; only warn.")
    var weakOk = false

    @OptionGroup(title: "Backup password (at least 8 characters)")
    var password: SecretOptions<BackupPassword>

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        try QRMatrix.requireEncoder()
        // Refuse before asking for a password, not after.
        if output != "-" { _ = try DocumentFormat(of: output, option: "--output", orStandardOutput: true) }
        let target = try DocumentTarget(output, mayReplace: force, outside: session.reserved)
        let (keeper, id) = try session.open(named.id, keystore)
        let identity = try keeper.identities.summary(id)
        // Before the cards are made: a change in between makes the kit old.
        let safes = try keeper.kits.safes(of: id)
        let places = try session.allPlaces(of: id, in: keeper)
        let cards = try places.map { try RecoveryCard(of: $0, in: keeper, language.chosen) }
        let ordered = cards.filter { !$0.isDirectory } + cards.filter(\.isDirectory)
        let secret = try SecretAsker(password, session.dialog).create(
            .for("the new backup code of \(id)"), minimum: IDBackup.minimumPasswordLength, weak: weakOk ? .accept : .ask
        )
        let code = try session.output.busy("deriving the key of the backup code") {
            try keeper.codes.export(of: id, password: secret, scheme: .pbkdf2)
        }
        try identity.requireUnchanged(in: keeper)
        let kit = KitSheet(
            identity: identity, code: code,
            matrix: try QRMatrix.first(encoding: Array(code.text.utf8), levels: BackupExport.levels), cards: ordered,
            directory: try .ofPage(id, in: keeper, session.output), day: WallClock.now().day, language: language.chosen)
        try write(kit, to: target, session.output) { finish in
            try keeper.kits.remember(code, of: id, identity.publicKey, safes, finish: finish)
        }
        session.warnOfGatewaySecret(of: identity, notIn: "the kit")
        session.output.note("check word \(IDBackup.checkWord(of: code).text)")
        if target.path != nil { session.output.hint("print it, then delete the file: it holds the backup code") }
        try warnOfChanges(places, keeper, session.output)
    }

    /// - Parameter remember: remembers the kit, does what it is given, and forgets the kit again if that fails.
    private func write(
        _ kit: KitSheet, to target: DocumentTarget, _ output: Output, remember: (() throws -> Void) throws -> Void
    ) throws {
        let bytes = Page.pdf(try kit.pages())
        guard let path = target.path else {
            // Who reads a pipe may be slow, and the identity is not locked meanwhile.
            try Output.writeResult(bytes.span)
            return try remember {}
        }
        let members: [(String, JSONValue?)] = [
            ("id", .string(kit.identity.id.text)), ("file", .string(path)),
            ("check", .string(IDBackup.checkWord(of: kit.code).text)), ("places", .number(kit.cards.count)),
            ("bytes", .number(bytes.count)),
        ]
        // Without a signal in between: a kit that came to nobody is forgotten again. The file gets its name last: what
        // stood there stays if anything fails.
        try EndingSignals.held {
            try remember {
                try target.write { pieces in
                    try pieces.write(bytes.span)
                    try output.done(
                        ["wrote the emergency kit of \(kit.identity.id) to \(path)"],
                        json: .result("backup kit", members))
                } finish: {
                }
            }
        }
    }

    private func warnOfChanges(_ places: [ChosenPlace], _ keeper: ThreemaKeeper, _ output: Output) throws {
        for place in places {
            guard let new = try keeper.safe.status(of: place.place).newServer else { continue }
            output.warn(
                place.labelled(
                    "a change to \(new) is not finished, and the kit names the present server; "
                        + "write another kit afterwards"))
        }
    }
}

extension IdentityKeeper.Summary {
    /// Another command may have replaced the key while a person typed the password of its code.
    func requireUnchanged(in keeper: ThreemaKeeper) throws {
        guard try keeper.identities.summary(id).publicKey == publicKey else {
            throw Failure(
                .verifyFailed, "another command has replaced the private key meanwhile; nothing was written",
                hints: "try again")
        }
    }
}
