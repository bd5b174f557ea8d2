import ArgumentParser
import Console
import Encodings
import TextSecure

struct TextSecureVerify: Verb {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Check that a file opens and contains a TextSecure account. Stores nothing.")

    @ParentCommand var noun: TextSecureCommand
    @OptionGroup var globals: GlobalOptions

    @Argument(help: "The file, or - for stdin.", completion: .file())
    var file: String

    @OptionGroup var opening: TextSecureFileOptions

    func run(_ session: Session) throws {
        let account = try opening.open(file, session)
        try session.output.done(
            ["\(file) opens"] + account.lines,
            json: .textSecure("verify", [("file", .string(file))] + account.members))
    }
}
