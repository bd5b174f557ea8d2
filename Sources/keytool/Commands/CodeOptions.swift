import ArgumentParser
import Encodings
import Glibc
import SafeKeeping
import SecureMemory
import Threema

/// Where a backup code and its password come from, and what it is expected to be: common to `backup
/// import` and `backup check`.
struct CodeOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The file that holds the code; - or nothing for stdin or the terminal.", valueName: "file"),
        completion: .file())
    var file: String?

    @Option(
        help: ArgumentHelp("Read the code from a picture of its QR code, with zbarimg.", valueName: "file"),
        completion: .file())
    var qrImage: String?

    @Option(help: ArgumentHelp("Fail (19) where the code is of another ID.", valueName: "id"))
    var expectId: ThreemaID?

    @Option(help: ArgumentHelp("Fail (19) where the public key is another one.", valueName: "hex"))
    var expectPublicKey: PublicKey?

    @Option(help: ArgumentHelp("Fail (19) where the check word is another one.", valueName: "word"))
    var expectCheck: GroupedCode?

    @OptionGroup(title: "Backup password")
    var password: SecretOptions<BackupPassword>

    /// Longest text that is read, in bytes.
    private static let maxBytes = 16 * 1024

    /// Reads the code, then the password, and opens it; a typed password has three tries.
    func open(_ session: Session) throws -> OpenedCode {
        guard qrImage == nil || file == nil else {
            throw UsageFailure("the code comes from --qr-image or from FILE, not from both")
        }
        let isStdin = qrImage == nil && (file == "-" || file == nil && isatty(STDIN_FILENO) == 0)
        // Whatever is on it: what is there twice is there for neither.
        guard try !isStdin || password.source()?.isStandardInput != true else { throw StandardInput.isTwoThings }
        let code = try qrImage.map { try CodePicture($0).code() } ?? GroupedCode(parsing: text(isStdin, session))
        let expectations = SafeKeeper.Expectations(
            id: expectId, publicKey: expectPublicKey, checkWord: expectCheck)
        // A mistyped code is no reason to ask for its password.
        _ = try IDBackup.scheme(of: code)
        do {
            try expectations.check(code)
        } catch let error as SafeKeepingError {
            throw CommandFailure(
                failure: error.failure.advising("the code that was given has \(IDBackup.checkWord(of: code).text)"))
        }
        let identity = try SecretAsker(password, session).open(
            "of this code", isWrong: { $0 as? IDBackupError == .notOpened }
        ) { password in
            if let count = password.characterCount, count < IDBackup.minimumOpeningPasswordLength {
                throw UsageFailure("a backup password has at least \(IDBackup.minimumOpeningPasswordLength) characters")
            }
            return try session.output.busy("deriving the key of the backup code") {
                try SafeKeeper.openCode(code, password: password, expecting: expectations)
            }
        }
        return OpenedCode(code: code, identity: identity)
    }

    private static func isPicture(_ file: String) -> Bool {
        [".png", ".jpg", ".jpeg", ".svg", ".pdf", ".heic", ".webp", ".tif", ".tiff", ".gif", ".bmp"]
            .contains { file.lowercased().hasSuffix($0) }
    }

    private func text(_ isStdin: Bool, _ session: Session) throws -> String {
        if isStdin { return try InputFile.standardInput.read(limit: Self.maxBytes) }
        if let file {
            guard !Self.isPicture(file) else {
                throw UsageFailure("\(file) is a picture by its name", hint: "--qr-image \(file)")
            }
            return try InputFile(path: file).read(limit: Self.maxBytes)
        }
        guard session.mayAsk, let terminal = ControllingTerminal(), let code = try terminal.askCode() else {
            throw UsageFailure("there is no backup code", hint: "name a file, or give the code on stdin")
        }
        return code
    }
}

/// A code with the identity that it holds, and how both are shown.
struct OpenedCode: ~Copyable {
    let code: GroupedCode
    let identity: Identity

    var lines: [String] {
        identity.clientKey.publicKey.labelledLines + ["check       \(IDBackup.checkWord(of: code).text)"]
    }

    func json(_ command: String, _ outcome: (String, JSONValue?)...) -> JSONValue {
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
