import ArgumentParser
import CommandParsing
import Console

/// The noun of the accounts.
struct AccountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "account", abstract: "The accounts of the server.",
        discussion: """
            With accounts, each client logs in with name and password, and its Safe server is https://HOST/NAME. The \
            accounts are in the file logins of the store; a running server reads it again when it changes.
            """,
        subcommands: [AccountAdd.self, AccountRemove.self, AccountList.self, AccountPasswd.self, AccountQuota.self])

    @OptionGroup var globals: GlobalOptions

    func run() throws { throw MissingVerb(Self.self, in: .keytoolServer) }
}

/// The password of an account.
enum AccountPassword: Secret {
    static let stem = "account-password"
    static let title = "account password"
    static let isGenerated = true
    /// Fewest characters of a new one.
    static let minimumLength = 8
}
