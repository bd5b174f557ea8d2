import ArgumentParser
import Console
import Encodings
import SecureMemory
import TextSecure

struct TextSecureVerify: Verb {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Check that a file opens and contains a TextSecure account. Stores nothing.",
        discussion: "Also opens the files that import-client has written.")

    @ParentCommand var noun: TextSecureCommand
    @OptionGroup var globals: GlobalOptions

    @Argument(help: "The file, or - for stdin.", completion: .file())
    var file: String

    @OptionGroup var opening: TextSecureFileOptions

    func run(_ session: Session) throws {
        let plain = try opening.plain(file, session)
        // No text of an account is so short.
        guard plain.count != MasterSecret.count else {
            return try session.output.done(
                ["\(file) opens", "contains      the master secret of a client"],
                json: .textSecure("verify", [("file", .string(file)), ("content", "master_secret")]))
        }
        let account = try TextSecureFileOptions.account(in: plain)
        try session.output.done(
            ["\(file) opens"] + account.lines,
            json: .textSecure("verify", [("file", .string(file)), ("content", "account")] + account.members))
    }
}
