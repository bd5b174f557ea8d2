import ArgumentParser
import CommandLine
import Console
import Encodings
import SecureMemory
import SophaxChat
import SophaxStorage

struct SophaxOpenBackup: Verb {
    static let configuration = CommandConfiguration(
        commandName: "open-backup", abstract: "Open a message backup of the app (SXBK), and show what it contains.",
        discussion: """
            Shows version, time, user, and how many peers and messages there are. -o writes the content, JSON, to a \
            new file. The content is not encrypted there: it has all messages. Nothing is stored in the keystore.
            """)

    @OptionGroup var globals: GlobalOptions

    @Argument(help: "The file, or - for stdin.", completion: .file())
    var file: String

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Write the content to a new file (0600), or - for stdout.", valueName: "file"),
        completion: .file())
    var output: String?

    @Flag(help: "Overwrite an existing file.")
    var force = false

    @OptionGroup(title: "Passphrase of the file")
    var passphrase: SecretOptions<FilePassphrase>

    func run(_ session: Session) throws {
        let target = try output.map { try DocumentTarget($0, mayReplace: force, outside: session.reserved) }
        let bytes = try InputFile(operand: file).readBytes(.bytes, limit: MessageBackup.maxCount)
        do {
            try MessageBackup.check(bytes)
        } catch BackupError.unknownFormat {
            throw SophaxFileError.notMessageBackup(path: file)
        }
        try SecretAsker(passphrase, session.dialog).open(
            .named(file), isWrong: { $0 as? BackupError == .wrongKeyOrDamaged }
        ) { passphrase in
            let content = try session.output.busy("deriving the key of the file") {
                try MessageBackup.open(bytes, passphrase: passphrase)
            }
            try content.withBytes { try show($0, target, session) }
        }
    }

    private func show(_ content: Span<UInt8>, _ target: DocumentTarget?, _ session: Session) throws {
        let backup = try MessageBackup(summarizing: content)
        let done = {
            try session.output.done(
                [
                    "version        \(backup.version)", "made           \(backup.created.timestamp.rfc3339)",
                    "user           \(backup.username.printable)",
                    "identity       \(backup.identityFingerprint?.printable ?? "unknown")",
                    "peers          \(backup.peerCount)", "messages       \(backup.messageCount)",
                ] + (target?.path.map { ["wrote the content to \($0)"] } ?? []),
                json: SophaxChatMessenger.result(
                    "open-backup",
                    [
                        ("version", .number(backup.version)), ("made", .string(backup.created.timestamp.rfc3339)),
                        ("username", .string(backup.username)),
                        ("identity_fingerprint", backup.identityFingerprint.map { .string($0) }),
                        ("peers", .number(backup.peerCount)), ("messages", .number(backup.messageCount)),
                        ("file", target?.path.map { .string($0) }),
                    ]))
        }
        guard let target else { return try done() }
        // Stdout has the content, and nothing else.
        try target.write(content) { _ in try done() }
    }
}
