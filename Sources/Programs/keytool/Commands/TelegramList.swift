import ArgumentParser
import Console
import Encodings
import MessengerKeeping
import Telegram

struct TelegramList: Verb {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the Telegram accounts of the keystore.")

    @ParentCommand var noun: TelegramCommand
    @OptionGroup var globals: GlobalOptions

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        guard let open = try session.listedKeystore(keystore.passphrase) else {
            return try session.output.data([], json: Self.json([]))
        }
        let keeper = TelegramKeeper(open)
        var listing = Listing(session.output)
        for id in try keeper.ids() {
            listing.add([("id", .string(id.description))]) {
                let account = try keeper.account(id)
                return ("\(id)  \(account.facts)", account.members)
            }
        }
        try session.output.data(listing.lines, json: Self.json(listing.entries))
        try listing.throwFirst()
    }

    private static func json(_ accounts: [JSONValue]) -> JSONValue {
        .telegram("list", [("accounts", .array(accounts))])
    }
}

extension JSONValue {
    /// A result of a verb of the noun `telegram`.
    static func telegram(_ verb: String, _ members: [(String, JSONValue?)]) -> JSONValue {
        .result("telegram \(verb)", [("messenger", "telegram")] + members)
    }
}
