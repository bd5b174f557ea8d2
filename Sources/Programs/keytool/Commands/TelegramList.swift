import ArgumentParser
import Console
import Encodings
import Keystore
import MessengerKeeping
import Telegram

struct TelegramList: Verb {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the Telegram accounts of the keystore.")

    @ParentCommand var noun: TelegramCommand
    @OptionGroup var globals: GlobalOptions

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        let keeper: TelegramKeeper
        do {
            keeper = TelegramKeeper(try session.keystore(keystore.passphrase))
        } catch KeystoreError.absent {
            // A keystore that is still to be made holds nothing: that is an answer, not an error.
            return try session.output.data([], json: Self.json([]))
        }
        var lines: [String] = []
        var members: [JSONValue] = []
        var firstFailure: Failure?
        for id in try keeper.ids() {
            do {
                let account = try keeper.account(id)
                lines.append("\(id)  \(account.facts)")
                members.append(.members(account.members))
            } catch {
                // One damaged record does not hide the others.
                let failure = Failure(error)
                members.append(["id": .string(id.description), "error": failure.json])
                if !session.output.isJSON { failure.report(isVerbose: session.output.isVerbose) }
                firstFailure = firstFailure ?? failure
            }
        }
        try session.output.data(lines, json: Self.json(members))
        if !lines.isEmpty { session.noteProtection(isProtected: keeper.isProtected) }
        if let firstFailure { throw CommandFailure(failure: firstFailure, isReported: true) }
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
