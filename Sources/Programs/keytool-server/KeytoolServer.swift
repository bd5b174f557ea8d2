import ArgumentParser
import CommandParsing
import Console

/// The table of verbs.
@main
struct KeytoolServer: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keytool-server",
        abstract: "Run a Safe server: encrypted backups of Threema identities.",
        version: "keytool-server \(Release.version)",
        subcommands: subcommands
    )

    private static var subcommands: [any ParsableCommand.Type] {
        let operating: [any ParsableCommand.Type] = [
            AccountCommand.self, SweepCommand.self, VersionsCommand.self, RestoreCommand.self,
        ]
        #if Server
        return [Serve.self] + operating
        #else
        return operating
        #endif
    }

    @OptionGroup var globals: GlobalOptions

    func run() throws { throw MissingVerb(Self.self, in: .keytoolServer) }

    static func main() { Program.run(Self.self, in: .keytoolServer) }
}
