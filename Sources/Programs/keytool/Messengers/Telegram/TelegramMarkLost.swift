import ArgumentParser
import CommandLine
import Console
import Encodings
import MessengerKeeping
import Telegram

struct TelegramMarkLost: Verb {
    static let configuration = CommandConfiguration(
        commandName: "mark-lost", abstract: "Mark a key as lost: somebody else may have it.",
        discussion: """
            The key stays in the keystore. Later commands that use it warn. The servers are not told: end the session \
            in an app of the account.
            """)

    @OptionGroup var globals: GlobalOptions

    @Argument(help: ArgumentHelp("The ID of the key.", valueName: "key-id"))
    var key: KeyID

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        let keeper = try session.keeper(TelegramMessenger.self, keystore)
        guard let lost = try keeper.markLost(key) else { throw NoTelegramKey(id: key) }
        try session.output.done(
            lost.accounts.map { account in
                lost.newlyMarked.contains(account)
                    ? "marked the key \(key) of \(account) as lost"
                    : "the key \(key) of \(account) was marked as lost already"
            },
            json: TelegramMessenger.result(
                "mark-lost",
                [
                    ("id", .string(lost.accounts[0].description)), ("key_id", .string(key.description)), ("lost", true),
                    ("changed", .bool(!lost.newlyMarked.isEmpty)),
                    ("accounts", .array(lost.accounts.map { .string($0.description) })),
                ]))
        for account in lost.unread {
            session.output.warn("the account \(account) cannot be read: it may have the key, too")
        }
        session.output.hint("end the session in an app of the account: its servers still accept the key")
    }
}
