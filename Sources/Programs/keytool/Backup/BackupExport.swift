import ArgumentParser
import AtomicFiles
import CommandLine
import Console
import Encodings
import QRCode
import ThreemaKeeping
import Threema

struct BackupExport: Verb {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Export an identity as a backup code, or as the key file of a Gateway ID.",
        discussion: """
            The code is the private key, encrypted with a password. Anyone who has both can act as you. The \
            Threema apps can read the code. Write down its check word, too.
            """)

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: IdentityArgument

    @Option(help: ArgumentHelp("code, or gateway for the key file of a Gateway ID.", valueName: "format"))
    var format = BackupExportFormat.code

    @Flag(help: "Write the private key without encryption, with --format gateway.")
    var revealPrivateKey = false

    @Option(help: ArgumentHelp("pbkdf2 (80 characters), or argon2id (104; iOS cannot read it).", valueName: "scheme"))
    var scheme = IDBackup.Scheme.pbkdf2

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Write the code to a new file (mode 0600), or to stdout for -.", valueName: "file"),
        completion: .file())
    var output: String?

    @OptionGroup var pictures: CodePictureOptions

    @Flag(help: "Overwrite existing files.")
    var force = false

    @Flag(name: .customLong("qr"), help: "Also draw the code as a QR code.")
    var isDrawn = false

    @Option(help: QRMode.help)
    var mode = QRMode.auto

    @OptionGroup var alone: QRScreenOptions

    @Flag(help: "Accept a weak password; only warn.")
    var weakOk = false

    @OptionGroup(title: "Backup password (at least 8 characters)")
    var password: SecretOptions<BackupPassword>

    @OptionGroup var keystore: KeystoreOptions

    func validate() throws {
        try checkFormat()
        guard !pictures.isSheetPrinted || !isDrawn && output != "-" else {
            throw ValidationError("--sheet - cannot be combined with --qr or --output -: stdout is the page")
        }
    }

    func run(_ session: Session) throws {
        if format == .gateway { return try exportGatewayKey(session) }
        let screen = try alone.screen(session.dialog)
        if isDrawn || alone.isAwaited || pictures.areWanted { try QRMatrix.requireEncoder() }
        let (keeper, id) = try session.open(named.id, keystore)
        // Refuse before asking for a password, not after.
        let reserved = session.reserved
        let file = try output.flatMap {
            try $0 == "-" ? nil : ResultFile($0, mayReplace: force, outside: reserved)
        }
        let pictures = try pictures.files(beside: file, mayReplace: force, outside: reserved)
        if isDrawnBelow(session) {
            let likeCode = [UInt8](repeating: UInt8(ascii: "A"), count: scheme.characterCount / 4 * 5 - 1)
            _ = try place(likeCode)
        }
        let identity = try keeper.identities.summary(id)
        let secret = try SecretAsker(password, session.dialog).create(
            .for("the new backup code of \(id)"), minimum: IDBackup.minimumPasswordLength, weak: weakOk ? .accept : .ask
        )
        let code = try session.output.busy("deriving the key of the backup code") {
            try keeper.codes.export(of: id, password: secret, scheme: scheme)
        }
        try identity.requireUnchanged(in: keeper)
        let check = IDBackup.checkWord(of: code).text

        // Before anything is written: ending the command here leaves no file.
        if let screen {
            try screen.show(
                Array(code.text.utf8), mode, levels: Self.levels,
                beside: ["", "Backup code of \(id):", ""] + Self.lines(of: code) + ["", "check word \(check)"])
        }
        var contents = try pictures.contents(
            showing: code, scheme, of: identity,
            hasApp: PrintedDirectory.hasApp(id, try? PrintedDirectory(of: id, in: keeper)), levels: Self.levels)
        if let file { contents.files.insert((file, Array((code.text + "\n").utf8)), at: 0) }
        let json = json(id, code, check, file?.path, pictures)
        try ResultFile.write(contents.files) {
            let lines = (file.map { ["wrote the backup code of \(id) to \($0.path)"] } ?? []) + pictures.lines
            if let printed = contents.printed {
                return try printed.page.write(printed.bytes) { lines.forEach { session.output.note($0) } }
            }
            guard file == nil else { return try session.output.done(lines, json: json) }
            if !alone.isAwaited || !TerminalSize.isTerminal {
                try session.output.data(TerminalSize.isTerminal ? Self.lines(of: code) : [code.text], json: json)
            }
            pictures.lines.forEach { session.output.note($0) }
        }
        session.warnOfGatewaySecret(of: identity, notIn: "the backup code")
        try explain(code, in: file, pictures, session)
    }

    /// Says how to verify and store the code, and draws it if that was asked for.
    /// - Parameter file: nil if the code was shown.
    private func explain(
        _ code: GroupedCode, in file: ResultFile?, _ pictures: CodePictures, _ session: Session
    ) throws {
        if !pictures.lines.isEmpty {
            session.output.hint("anyone who has the file has the code: print it, then delete the file")
        }
        session.output.note("check word \(IDBackup.checkWord(of: code).text)")
        session.output.hint("each export makes a new code; older codes stay valid, with their own passwords")
        switch scheme {
        case .pbkdf2:
            session.output.hint(
                "the code detects 65,535 of 65,536 typing errors; to verify a copy, compare the check word or the "
                    + "public key"
            )
        case .argon2id: session.output.hint("the iOS app cannot read this code; libthreema can")
        }
        if isDrawnBelow(session) { try draw(code, session.output) }
        if file == nil && !alone.isAwaited && TerminalSize.isTerminal {
            session.output.hint("the code stays in this terminal's scrollback")
        }
    }

    /// Lines of five groups, for a person.
    private static func lines(of code: GroupedCode) -> [String] {
        let groups = code.groups
        return stride(from: 0, to: groups.count, by: 5).map { start in
            let isLast = start + 5 >= groups.count
            return groups[start..<min(start + 5, groups.count)].joined(separator: "-") + (isLast ? "" : "-")
        }
    }

    static var levels: [QRMatrix.ErrorCorrection] { [.medium, .low] }

    private func isDrawnBelow(_ session: Session) -> Bool {
        isDrawn && !alone.isAwaited && !session.output.isJSON
    }

    private func place(_ text: [UInt8]) throws -> QRPlacement.Placed {
        try QRPlacement(mode).place(text, levels: Self.levels, mayScroll: true)
    }

    private func draw(_ code: GroupedCode, _ output: Output) throws {
        let drawing = try place(Array(code.text.utf8))
        try output.print(drawn: [StyledLine("")] + drawing.lines)
        if let missing = drawing.missingRows {
            output.hint(
                "the terminal needs \(missing) more rows to show the whole QR code; "
                    + "\(QRPicture.option) FILE.png writes a picture")
        }
    }

    private func json(
        _ id: ThreemaID, _ code: GroupedCode, _ check: String, _ file: String?, _ pictures: CodePictures
    ) -> JSONValue {
        .result(
            "backup export",
            [
                ("id", .string(id.text)), ("code", file == nil ? .string(code.text) : nil),
                ("file", file.map { .string($0) }), ("scheme", .string(scheme.rawValue)), ("check", .string(check)),
                ("check_bits", .number(scheme.checkBits)),
            ] + pictures.json)
    }
}
