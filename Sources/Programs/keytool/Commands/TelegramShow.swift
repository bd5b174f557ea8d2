import ArgumentParser
import Console
import Encodings
import SecureMemory
import Telegram

struct TelegramShow: Verb {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a Telegram account: user, data centres and the IDs of its keys.",
        discussion: "A key itself is shown only with --reveal-private-key. Anyone who has it can act as the account.")

    @ParentCommand var noun: TelegramCommand
    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: TelegramAccountArgument

    @Flag(help: "Also print the keys themselves, in Base64.")
    var revealPrivateKey = false

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        let account = try named.account(in: session.telegram(keystore.passphrase))
        guard revealPrivateKey else {
            return try session.output.data(account.lines, json: .telegram("show", account.members))
        }
        account.sayLost(session.output)
        let marks = SecretMarks()
        let keys = account.keys.enumerated().map { number, key in
            JSONValue.members(key.members + [("private_key", .string(marks[number]))])
        }
        try session.output.reveal(
            account.lines
                + account.keys.enumerated().map { number, key in "private key  \(key.id) \(marks[number])" },
            json: .telegram("show", account.members.map { $0.0 == "keys" ? ("keys", .array(keys)) : $0 }),
            marks, secrets: account.keys.count
        ) { number, text in
            account.keys[number].held.key.bytes.withBytes { Base64.encode($0, appendingTo: &text) }
        }
    }
}
