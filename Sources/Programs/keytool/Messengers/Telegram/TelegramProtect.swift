import ArgumentParser
import CommandLine
import Console
import Encodings

struct TelegramProtect: Verb {
    static let configuration = CommandConfiguration(
        commandName: "protect", abstract: "Write a key or an account from a file into an age file.",
        discussion: """
            The file is read in any form that keytool telegram import reads, and stays. Delete it afterwards, if it is \
            not protected.
            """)

    @OptionGroup var globals: GlobalOptions

    @Argument(help: "The file, or - for stdin.", completion: .file())
    var file: String

    @OptionGroup var written: OptionalDocumentOptions

    @OptionGroup var protection: NewAgeFileOptions<NewFilePassphrase>

    @OptionGroup var opening: AccountFileOptions

    func run(_ session: Session) throws {
        let name = file == "-" ? nil : file + ".age"
        guard let target = try written.target(or: name, outside: session.reserved) else {
            throw UsageFailure("stdin has no name for the new file", hint: "use -o")
        }
        try protection.check()
        let opened: TelegramFile
        do {
            opened = try opening.openTelegram(file, session)
        } catch let error as TelegramFileError {
            guard case .notProtected = error else { throw error }
            throw error.failure.advising(
                "--new-file-passphrase-file, -command and -fd give the passphrase of the new file")
        }
        let sealed = try protection.seal(opened.plain, .named(target.path ?? "-"), session)
        try target.write(sealed.span) { path in
            try session.output.done(
                ["wrote \(path)"] + opened.lines,
                json: TelegramMessenger.result(
                    "protect", [("file", .string(path)), ("bytes", .number(sealed.count))] + opened.members)
            )
        }
        if !opened.isProtected, file != "-", !target.isWritten(to: file) {
            session.output.hint("\(file) is still there, and not protected")
        }
    }
}
