import ArgumentParser
import Console
import Encodings
import Keystore
import MessengerKeeping
import SophaxChat

struct SophaxList: Verb {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the SophaxChat identities of the keystore.")

    @ParentCommand var noun: SophaxChatCommand
    @OptionGroup var globals: GlobalOptions

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        let keeper: SophaxKeeper
        do {
            keeper = SophaxKeeper(try session.keystore(keystore.passphrase))
        } catch KeystoreError.absent {
            // A keystore that is still to be made holds nothing: that is an answer, not an error.
            return try session.output.data([], json: Self.json([]))
        }
        var lines: [String] = []
        var members: [JSONValue] = []
        var firstFailure: Failure?
        for id in try keeper.ids() {
            do {
                let summary = try keeper.summary(id)
                lines.append("\(id)  \(summary.facts)")
                members.append(.members(summary.members))
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

    private static func json(_ identities: [JSONValue]) -> JSONValue {
        .sophaxChat("list", [("identities", .array(identities))])
    }
}

struct SophaxShow: Verb {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a SophaxChat identity: peerID, safety number, public keys.")

    @ParentCommand var noun: SophaxChatCommand
    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: SophaxArgument

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        let keeper = try session.sophaxChat(keystore.passphrase)
        let summary = try keeper.summary(session.sophaxChat(named.id, in: keeper))
        try session.output.data(summary.lines, json: .sophaxChat("show", summary.members))
    }
}
