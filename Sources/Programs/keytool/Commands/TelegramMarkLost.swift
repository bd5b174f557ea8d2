import ArgumentParser
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

    @ParentCommand var noun: TelegramCommand
    @OptionGroup var globals: GlobalOptions

    @Argument(help: ArgumentHelp("The ID of the key.", valueName: "key-id"))
    var key: KeyID

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        let keeper = try session.telegram(keystore.passphrase)
        guard let (account, wasLost) = try keeper.markLost(key) else { throw TelegramKeyError.noKey(key) }
        try session.output.done(
            [
                wasLost
                    ? "the key \(key) of \(account) was marked as lost already"
                    : "marked the key \(key) of \(account) as lost"
            ],
            json: .telegram(
                "mark-lost",
                [
                    ("id", .string(account.description)), ("key_id", .string(key.description)), ("lost", true),
                    ("changed", .bool(!wasLost)),
                ]))
        session.output.hint("end the session in an app of the account: its servers still accept the key")
    }
}
