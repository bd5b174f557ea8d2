import ArgumentParser
import Console
import Encodings
import MessengerKeeping
import SophaxChat

struct SophaxImport: Verb {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import a SophaxChat identity from an identity backup or an age file.",
        discussion: """
            An identity backup of the app (SXID) has the keys and the user's name; an age file of keytool also has \
            verified peers and prekeys. Nothing that is held is replaced. If the keystore holds another identity, \
            --another stores this one beside it. Sessions are not restored: peers begin new ones.
            """)

    @ParentCommand var noun: SophaxChatCommand
    @OptionGroup var globals: GlobalOptions

    @Argument(help: "The file, or - for stdin.", completion: .file())
    var file: String

    @Option(help: ArgumentHelp("Refuse any other identity, with exit code 19.", valueName: "peer-id"))
    var expectID: PeerID?

    @Flag(help: "Store it beside another identity of the keystore.")
    var another = false

    @OptionGroup var opening: SophaxFileOptions

    @OptionGroup var keystore: NewKeystoreOptions

    func run(_ session: Session) throws {
        let opened = try opening.open(file, session)
        let known = opened.account.identity.publicIdentity
        try known.require(expectID)
        let keeper = SophaxKeeper(try session.newKeystore(keystore))
        let result = try keeper.store(opened.account, isOnly: !another)
        let prekeys = try keeper.summary(known.peerID).prekeys
        try session.output.done(
            [result.words(file)] + opened.lines,
            json: .sophaxChat(
                "import",
                opened.members + [
                    ("stored", .bool(result != .held)), ("result", .string(result.name)),
                    ("prekeys", .bool(prekeys != nil)),
                ]))
        if result == .new, !keystore.noPassphrase { session.noteProtection(isProtected: keeper.isProtected) }
        if prekeys == nil {
            session.output.hint("the identity has no prekeys: keytool sophaxchat refill-prekeys \(known.peerID)")
        }
    }
}

extension SophaxKeeper.Stored {
    /// - Parameter subject: what was read.
    func words(_ subject: String) -> String {
        switch self {
        case .new: "imported \(subject)"
        case .held: "already in the keystore, with the same keys: \(subject)"
        case .extended: "already in the keystore; added verified peers or prekeys: \(subject)"
        }
    }

    /// For programs.
    fileprivate var name: String {
        switch self {
        case .new: "imported"
        case .held: "held"
        case .extended: "extended"
        }
    }
}

extension PublicIdentity {
    /// - Throws: `SophaxUnexpected` if this is not the identity that was expected.
    func require(_ expected: PeerID?) throws {
        guard let expected, !has(expected) else { return }
        throw SophaxUnexpected(found: peerID, expected: expected)
    }
}

/// A file has another identity than was expected. Nothing was stored.
struct SophaxUnexpected: Error {
    let found, expected: PeerID
}
