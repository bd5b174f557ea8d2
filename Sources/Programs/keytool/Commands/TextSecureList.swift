import ArgumentParser
import Console
import Encodings
import Keystore
import MessengerKeeping
import TextSecure

struct TextSecureList: Verb {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the TextSecure accounts of the keystore.")

    @ParentCommand var noun: TextSecureCommand
    @OptionGroup var globals: GlobalOptions

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        guard let open = try session.listedKeystore(keystore.passphrase) else {
            return try session.output.data([], json: Self.json([]))
        }
        let keeper = TextSecureKeeper(open)
        let now = WallClock.now()
        var listing = Listing(session.output)
        for number in try keeper.numbers() {
            listing.add([("id", .string(Owner.textSecure(number).id))]) {
                let account = try keeper.account(number, at: now)
                return ("\(number)  \(account.facts)", account.members)
            }
        }
        try session.output.data(listing.lines, json: Self.json(listing.entries))
        try listing.throwFirst()
    }

    private static func json(_ accounts: [JSONValue]) -> JSONValue {
        .textSecure("list", [("accounts", .array(accounts))])
    }
}
