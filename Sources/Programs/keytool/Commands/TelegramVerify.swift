import ArgumentParser
import Console
import Encodings
import Telegram

struct TelegramVerify: Verb {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Check that a file with a key or an account opens. Stores nothing.",
        discussion: """
            The file may have any form that keytool telegram import reads. A file of 256 bytes shows no damage: \
            compare the ID of its key.
            """)

    @ParentCommand var noun: TelegramCommand
    @OptionGroup var globals: GlobalOptions

    @Argument(help: "The file, or - for stdin.", completion: .file())
    var file: String

    @OptionGroup var opening: TelegramFileOptions

    func run(_ session: Session) throws {
        let opened = try opening.open(file, session)
        try session.output.done(
            ["\(file) opens"] + opened.lines, json: .telegram("verify", [("file", .string(file))] + opened.members))
        opened.sayNotes(file, session.output)
    }
}
