import ArgumentParser
import CommandLine
import Console
import Encodings
import MessengerKeeping
import SophaxChat

struct SophaxListSessions: Verb {
    static let configuration = CommandConfiguration(
        commandName: "list-sessions", abstract: "List the peers that programs have stored sessions with.",
        discussion: """
            A line for each peer: its name, whether its safety number was compared, and how many sessions there are. \
            sophaxchat show-session shows one of them. The command waits for a program that is using them.
            """)

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: AccountArgument<SophaxChatMessenger>

    @OptionGroup var wait: SessionWaitOptions

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        let (keeper, id) = try session.open(named, keystore)
        let peers = try wait.waiting(for: id.description, session) { try keeper.peers(of: id, $0) }
        if peers.facts.contains(where: \.isCopied) { session.noteCopiedSessions() }
        var listing = Listing(session.output)
        let now = WallClock.now()
        for facts in peers.facts { listing.add([]) { (facts.line(at: now), facts.listMembers) } }
        for (peer, error) in peers.failures {
            listing.add([("peer", peer.map { .string($0.description) })]) { throw error }
        }
        try listing.finish {
            try session.output.data(
                listing.lines,
                json: SophaxChatMessenger.result(
                    "list-sessions", [("id", .string(id.description)), ("peers", .array(listing.entries))]))
        }
    }
}

extension SophaxKeeper.PeerFacts {
    /// For people, in a list.
    fileprivate func line(at now: Timestamp) -> String {
        let age = sessions.first.map { ", the newest \(now.days(since: $0.began)) old" } ?? ""
        return "\(peer.peerID)  \(verification.words), \(Counted.text(sessions.count, "session"))\(age)"
    }

    /// For programs, in a list.
    fileprivate var listMembers: [(String, JSONValue?)] {
        [
            ("peer", .string(peer.peerID.description)), ("verified", .bool(verification == .verified)),
            ("other_number", verification == .otherNumber ? true : nil), ("copied", .bool(isCopied)),
            ("sessions", .number(sessions.count)), ("began_at", sessions.first.map { .string($0.began.rfc3339) }),
        ]
    }
}

extension SophaxKeeper.Verification {
    fileprivate var words: String {
        switch self {
        case .verified: "verified"
        case .notVerified: "not verified"
        case .otherNumber: "another number was verified"
        }
    }
}

extension Session {
    /// Says of stored sessions that they are a copy (`SophaxKeeper.PeerFacts.isCopied`).
    func noteCopiedSessions() {
        output.note("these sessions are a copy: the program that uses them has to end them first")
    }
}
