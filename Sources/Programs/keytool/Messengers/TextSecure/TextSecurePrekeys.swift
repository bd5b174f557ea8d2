import ArgumentParser
import CommandLine
import Console
import Encodings
import Keystore
import MessengerKeeping
import Ratchet
import TextSecure

struct TextSecurePrekeys: Verb {
    static let configuration = CommandConfiguration(
        commandName: "prekeys", abstract: "Show how many prekeys an account has, and their IDs.")

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: AccountArgument<TextSecureMessenger>

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        let (keeper, number) = try session.open(named, keystore)
        let account = try keeper.account(number, at: WallClock.now())
        let ids = account.prekeys.privatePrekeys().map(\.id)
        let range = ids.isEmpty ? "" : ", IDs from \(ids[0]) to \(ids[ids.count - 1])"
        try session.output.data(
            [
                "prekeys       \(ids.count)\(range)", "next ID       \(account.prekeys.nextID)",
                "last resort   \(account.lastResort.id)",
            ],
            json: TextSecureMessenger.result(
                "prekeys",
                [
                    ("id", .string(Owner.textSecure(account.number).id)), ("number", .string(account.number.text)),
                    ("count", .number(ids.count)),
                    ("ids", .array(ids.map { .number($0) })), ("next_id", .number(account.prekeys.nextID)),
                    ("last_resort_id", .number(account.lastResort.id)),
                ]))
        if account.prekeys.needsRefill {
            session.output.hint("make more: keytool textsecure refill-prekeys \(account.number)")
        }
    }
}
