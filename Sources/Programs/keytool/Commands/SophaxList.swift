import ArgumentParser
import Console
import Encodings
import MessengerKeeping
import SophaxChat

struct SophaxList: Verb {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the SophaxChat identities of the keystore.")

    @ParentCommand var noun: SophaxChatCommand
    @OptionGroup var globals: GlobalOptions

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        guard let open = try session.listedKeystore(keystore.passphrase) else {
            return try session.output.data([], json: Self.json([]))
        }
        let keeper = SophaxKeeper(open)
        var listing = Listing(session.output)
        for id in try keeper.ids() {
            listing.add([("id", .string(id.description))]) {
                let summary = try keeper.summary(id)
                return ("\(id)  \(summary.facts)", summary.members)
            }
        }
        try session.output.data(listing.lines, json: Self.json(listing.entries))
        try listing.throwFirst()
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
