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
        let keeper: TextSecureKeeper
        do {
            keeper = TextSecureKeeper(try session.keystore(keystore.passphrase))
        } catch KeystoreError.absent {
            // A keystore that is still to be made holds nothing: that is an answer, not an error.
            return try session.output.data([], json: Self.json([]))
        }
        let now = WallClock.now()
        var lines: [String] = []
        var members: [JSONValue] = []
        var firstFailure: Failure?
        for number in try keeper.numbers() {
            do {
                let account = try keeper.account(number, at: now)
                lines.append("\(number)  \(account.facts)")
                members.append(.members(account.members))
            } catch {
                // One damaged record does not hide the others.
                let failure = Failure(error)
                members.append(["id": .string(Owner.textSecure(number).id), "error": failure.json])
                if !session.output.isJSON { failure.report(isVerbose: session.output.isVerbose) }
                firstFailure = firstFailure ?? failure
            }
        }
        try session.output.data(lines, json: Self.json(members))
        if !lines.isEmpty { session.noteProtection(isProtected: keeper.isProtected) }
        if let firstFailure { throw CommandFailure(failure: firstFailure, isReported: true) }
    }

    private static func json(_ accounts: [JSONValue]) -> JSONValue {
        .textSecure("list", [("accounts", .array(accounts))])
    }
}
