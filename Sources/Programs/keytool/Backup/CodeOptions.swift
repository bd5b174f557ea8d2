import ArgumentParser
import CommandLine
import Console
import Encodings
import Glibc
import ThreemaKeeping
import SecureMemory
import Shares
import Threema

/// Where a backup code and its password come from, and what it is expected to be: common to `backup
/// import` and `backup check`.
struct CodeOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            """
            The file with the backup code, or an Android data backup (ZIP). Without it, or for -, the code comes from \
            stdin or the terminal.
            """,
            valueName: "file"),
        completion: .file())
    var file: String?

    @Option(
        help: ArgumentHelp("Read the code from a photo or scan of its QR code. Needs zbarimg.", valueName: "file"),
        completion: .file())
    var qrImage: String?

    @Option(help: ArgumentHelp("Fail (19) if the code holds another ID.", valueName: "id"))
    var expectId: ThreemaID?

    @Option(help: ArgumentHelp("Fail (19) if the public key differs.", valueName: "hex"))
    var expectPublicKey: PublicKey?

    @Option(help: ArgumentHelp("Fail (19) if the check word differs.", valueName: "word"))
    var expectCheck: GroupedCode?

    @Flag(help: "Read an Android data backup of a newer version than keytool knows.")
    var tryNewer = false

    @OptionGroup(title: "Backup password")
    var password: SecretOptions<BackupPassword>

    func validate() throws {
        guard expectCheck?.isCheckWord ?? true else {
            throw ValidationError("--expect-check: a check word has 8 characters")
        }
    }

    /// Longest text that is read, in bytes.
    private static let maxBytes = 16 * 1024

    /// Reads the code, then the password, and opens it; a typed password has three tries.
    func open(_ session: Session) throws -> OpenedCode {
        guard !tryNewer else { throw UsageFailure("--try-newer is for Android data backups; this is not one") }
        guard qrImage == nil || file == nil else {
            throw UsageFailure("--qr-image and FILE cannot be combined")
        }
        // Whatever is on it: what is there twice is there for neither.
        try password.requireOtherSource(ifTaken: isCodeOnStandardInput)
        let typed = try qrImage.map { try Self.unchecked(CodePicture($0).code()) } ?? read(session)
        let code = typed.code
        // A mistyped code is no reason to ask for its password.
        _ = try IDBackup.scheme(of: code)
        if let expectCheck, IDBackup.checkWord(of: code).characters != expectCheck.characters {
            throw Failure.otherCheckWord(than: expectCheck, of: code)
        }
        let isCertain = typed.isChecked || expectCheck != nil
        do {
            return OpenedCode(code: code, identity: try identity(in: code, isCertain: isCertain, session))
        } catch let error as IDBackupError where isCertain && Self.isWrongPassword(error, isCertain) {
            throw Failure(
                .wrongPassword,
                "wrong backup password; the check word shows that the code is right")
        }
    }

    /// A share has neither password nor check word, and does not contain its public key.
    /// - Throws: `UsageFailure` if an option is given that is about something else.
    func requireShareOptions() throws {
        guard qrImage == nil, expectPublicKey == nil, expectCheck == nil, !tryNewer, !password.isGiven else {
            throw UsageFailure("of the options about the content, --share can be combined with --expect-id only")
        }
    }

    /// What the options say of the content.
    var expectations: CodeKeeper.Expectations {
        CodeKeeper.Expectations(id: expectId, publicKey: expectPublicKey, checkWord: expectCheck)
    }

    /// Whether code or password come from stdin.
    var takesStandardInput: Bool {
        get throws { try isCodeOnStandardInput || password.source()?.isStandardInput == true }
    }

    private var isCodeOnStandardInput: Bool {
        qrImage == nil && (file == "-" || file == nil && isatty(STDIN_FILENO) == 0)
    }

    /// - Parameter isCertain: whether the code has the check word that was written beside it.
    private func identity(in code: GroupedCode, isCertain: Bool, _ session: Session) throws -> Identity {
        return try SecretAsker(password, session.dialog).open(
            .of("this code"),
            isWrong: {
                $0 is UsageFailure || ($0 as? IDBackupError).map { Self.isWrongPassword($0, isCertain) } ?? false
            },
            wrong: isCertain ? "wrong backup password" : "wrong backup password, or damaged code"
        ) { password in
            if let count = password.characterCount, count < IDBackup.minimumOpeningPasswordLength {
                throw UsageFailure("a backup password has at least \(IDBackup.minimumOpeningPasswordLength) characters")
            }
            return try session.output.busy("deriving the key of the backup code") {
                try CodeKeeper.open(code, password: password, expecting: expectations)
            }
        }
    }

    /// A password may pass the short check by chance and give no identity; where the code is certain, that tells
    /// that the password is wrong.
    private static func isWrongPassword(_ error: IDBackupError, _ isCertain: Bool) -> Bool {
        error == .notOpened || isCertain && error == .invalidID
    }

    private static func unchecked(_ code: GroupedCode) -> TypedCode { TypedCode(code: code, isChecked: false) }

    private static func isPicture(_ file: String) -> Bool {
        [".png", ".jpg", ".jpeg", ".heic", ".webp", ".tif", ".tiff", ".gif", ".bmp"]
            .contains { file.lowercased().hasSuffix($0) }
    }

    private func read(_ session: Session) throws -> TypedCode {
        if isCodeOnStandardInput { return Self.unchecked(try Self.code(in: .standardInput, "stdin")) }
        if let file {
            // zbarimg reads neither: --qr-image would be the wrong advice.
            guard !file.lowercased().hasSuffix(".svg") else { throw PictureError.isDrawing(path: file) }
            guard !file.lowercased().hasSuffix(".pdf") else { throw PictureError.notPixels(path: file) }
            guard !Self.isPicture(file) else {
                throw UsageFailure("\(file) seems to be a picture", hint: "--qr-image \(ShellWord.path(file))")
            }
            return Self.unchecked(try Self.code(in: InputFile(unawaited: file), file))
        }
        guard session.dialog.mayAsk, let terminal = ControllingTerminal(),
            let typed = try terminal.askCode(expecting: expectCheck)
        else {
            throw UsageFailure("no backup code was given", hint: "name a file, or pass the code on stdin")
        }
        return typed
    }

    private static func code(in file: InputFile, _ name: String) throws -> GroupedCode {
        // In guarded memory until it is known not to be a share: a code is encrypted, words are not.
        let content = try file.readGuarded(.text, limit: maxBytes)
        guard !content.withBytes({ ShareWords.isLikely($0) }) else {
            throw Failure.shareNotCode("\(name) has")
        }
        guard let text = content.withBytes({ String(validating: $0.revealBytes(), as: UTF8.self) }) else {
            throw InputError.notText
        }
        return try GroupedCode(parsing: text)
    }
}

/// A code with the identity that it holds, and how both are shown.
struct OpenedCode: ~Copyable {
    let code: GroupedCode
    let identity: Identity

    var lines: [String] {
        identity.clientKey.publicKey.labelledLines + ["check       \(IDBackup.checkWord(of: code).text)"]
    }

    func json(_ command: String, _ outcome: [(String, JSONValue?)]) -> JSONValue {
        let scheme = try? IDBackup.scheme(of: code)
        return .result(
            command,
            [
                ("id", .string(identity.id.text)), ("public_key", .string(identity.clientKey.publicKey.hex)),
                ("scheme", scheme.map { .string($0.rawValue) }), ("check", .string(IDBackup.checkWord(of: code).text)),
                ("check_bits", scheme.map { .number($0.checkBits) }),
            ] + outcome)
    }
}
