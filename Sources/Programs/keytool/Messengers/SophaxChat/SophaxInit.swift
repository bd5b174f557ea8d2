import ArgumentParser
import CommandLine
import Console
import Encodings
import MessengerKeeping
import SophaxChat
import SophaxStorage

/// The name of the user of a new identity.
struct SophaxNewOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The user's name, 1 to 64 characters, no control characters; peers see it.", valueName: "name"))
    var username: String?

    @Flag(help: "Store it beside another identity of the keystore.")
    var another = false

    /// Refuses before a key is made or asked for.
    func check() throws {
        guard let username else { return }
        guard SophaxAccount.isUsername(username) else {
            throw UsageFailure("a user name has 1 to \(SophaxAccount.maxUsername) characters, and no blank at its ends")
        }
        // Peers' terminals and screens show it. Files with such names are still read.
        guard !username.unicodeScalars.contains(where: \.isControl) else {
            throw UsageFailure("a user name has no control characters")
        }
    }
}

extension Unicode.Scalar {
    /// Control characters, line ends, and those that turn the direction of a text.
    fileprivate var isControl: Bool {
        [.control, .lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
            || (0x202a...0x202e).contains(value) || (0x2066...0x2069).contains(value)
    }
}

struct SophaxInit: Verb {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Make a SophaxChat identity, with its prekeys.",
        discussion: """
            The keys are random. Without a copy of them the identity is lost with the keystore: nobody can restore it. \
            Make one with keytool sophaxchat export.
            """)

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var new: SophaxNewOptions

    @OptionGroup var keystore: NewKeystoreOptions

    func run(_ session: Session) throws {
        try new.check()
        let keeper = SophaxKeeper(try session.newKeystore(keystore))
        let identity = SophaxIdentity()
        let known = identity.publicIdentity
        let account = try SophaxAccount(
            identity: identity, username: new.username ?? SophaxAccount.defaultUsername(known.peerID),
            prekeys: PrekeyStore(at: WallClock.now()))
        do {
            _ = try keeper.store(account, isOnly: !new.another, at: WallClock.now())
        } catch SophaxKeepingError.otherIdentity(let held, _) {
            // The one that was made is lost: it is not named.
            throw SophaxKeepingError.otherIdentity(held: held, other: nil)
        }
        try session.output.done(
            known.lines,
            json: SophaxChatMessenger.result("init", known.members + [("username", .string(account.username))]))
        if !keystore.noPassphrase { session.noteProtection(isProtected: keeper.isProtected) }
        session.output.hint("make a copy of the keys: keytool sophaxchat export \(known.peerID) -o FILE")
    }
}
