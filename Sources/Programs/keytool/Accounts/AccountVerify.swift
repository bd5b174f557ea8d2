import ArgumentParser
import CommandLine
import Console
import Encodings

struct AccountVerify<M: AccountMessenger>: Verb {
    typealias Root = M.Root

    static var configuration: CommandConfiguration { AccountHelp.configuration("verify", M.help.verified) }

    @OptionGroup var globals: GlobalOptions

    @Argument(help: "The file, or - for stdin.", completion: .file())
    var file: String

    @OptionGroup var options: M.VerifyOptions

    func validate() throws { try M.check(options, for: file) }

    func run(_ session: Session) throws {
        let verified = try M.verified(file, options, session)
        try session.output.done(
            verified.lines, json: M.result("verify", [("file", .string(file))] + verified.members))
        verified.notes(session.output)
    }
}
