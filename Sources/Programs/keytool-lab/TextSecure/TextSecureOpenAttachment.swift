import ArgumentParser
import CommandLine
import Console
import Encodings

struct TextSecureOpenAttachment: Verb {
    static let configuration = CommandConfiguration(
        commandName: "open-attachment", abstract: "Decrypt an attachment with its key.",
        discussion: """
            The key has 64 bytes, 88 characters of Base64, as seal-attachment writes it. The blob is read twice: first \
            all of it is authenticated, then it is decrypted. A blob that was changed leaves no file.
            """)

    @OptionGroup var globals: GlobalOptions

    @Argument(help: ArgumentHelp("The encrypted attachment: a file, no pipe.", valueName: "blob"), completion: .file())
    var blob: String

    @OptionGroup var written: DocumentOptions

    @OptionGroup(title: "Key of the attachment")
    var key: SecretOptions<AttachmentSecret>

    func run(_ session: Session) throws {
        let target = try written.target(outside: session.reserved)
        let blob = try AttachmentFile(blob)
        var opener = try blob.check(key, session)
        var count = 0
        try target.write { file in
            count = try blob.open(&opener, session) { try file.write($0) }
        } finish: {
            guard let path = target.path else { return }
            try session.output.done(
                ["wrote \(ByteCount.text(count)) to \(path)"],
                json: TextSecureMessenger.result(
                    "open-attachment", [("file", .string(path)), ("bytes", .number(count))]))
        }
    }
}
