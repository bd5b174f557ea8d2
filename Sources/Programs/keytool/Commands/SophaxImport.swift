import ArgumentParser
import Console
import Encodings
import MessengerKeeping
import SophaxChat
import SophaxStorage

struct SophaxImport: Verb {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import a SophaxChat identity from an identity backup or an age file.",
        discussion: """
            An identity backup of the app (SXID) has the keys and the user's name; an age file of keytool also has \
            verified peers and prekeys. Those that an identity lacks are added; nothing that is held is replaced. If the keystore holds another identity, \
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
        let result = try keeper.store(opened.account, isOnly: !another, at: WallClock.now())
        let prekeys = try keeper.summary(known.peerID).prekeys
        try session.output.done(
            [result.words(file)] + opened.lines,
            json: .sophaxChat(
                "import",
                opened.members + [
                    ("stored", .bool(result != .held)), ("result", .string(result.name)),
                    ("prekeys", .bool(prekeys != nil)),
                ] + result.members))
        if result == .new, !keystore.noPassphrase { session.noteProtection(isProtected: keeper.isProtected) }
        if prekeys == nil {
            session.output.hint(
                "the identity has no prekeys: import the age file first, if you have one; "
                    + "then keytool sophaxchat refill-prekeys \(known.peerID)")
        }
    }
}

extension SophaxKeeper.Stored {
    /// - Parameter subject: what was read.
    func words(_ subject: String) -> String {
        switch self {
        case .new: "imported \(subject)"
        case .held: "already in the keystore, with the same keys: \(subject)"
        case .extended(let added): "already in the keystore; added \(added.words): \(subject)"
        }
    }

    /// For programs: what was added to an identity that is held.
    fileprivate var members: [(String, JSONValue?)] {
        let added: SophaxKeeper.Added
        switch self {
        case .new: return []
        case .held: added = SophaxKeeper.Added(peers: 0, prekeys: .none)
        case .extended(let some): added = some
        }
        return [
            ("added_peers", .number(added.peers)), ("added_signed_prekeys", .number(added.prekeys.signed)),
            ("added_one_time_prekeys", .number(added.prekeys.oneTime)),
            ("added_first_messages", .number(added.prekeys.seen)),
        ]
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

extension SophaxKeeper.Added {
    /// For people: `1 verified peer, 2 signed prekeys, 20 one-time prekeys`.
    fileprivate var words: String {
        [
            (peers, "verified peer"), (prekeys.signed, "signed prekey"), (prekeys.oneTime, "one-time prekey"),
            (prekeys.seen, "key of a first message"),
        ].filter { $0.0 > 0 }.map { Counted.text($0.0, $0.1) }.joined(separator: ", ")
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
