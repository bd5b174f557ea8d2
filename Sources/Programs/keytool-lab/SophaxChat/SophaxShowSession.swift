import ArgumentParser
import CommandLine
import Console
import Encodings
import MessengerKeeping
import SophaxChat

struct SophaxShowSession: Verb {
    static let configuration = CommandConfiguration(
        commandName: "show-session", abstract: "Show the sessions with a peer: counters and ages, without keys.",
        discussion: """
            They are those that programs on the library SophaxChat have stored in the keystore. The command waits for a \
            program that is using them.
            """)

    @OptionGroup var globals: GlobalOptions

    @Argument(help: ArgumentHelp("The peer, all 32 digits of its name.", valueName: "peer"))
    var peer: PeerID

    @OptionGroup var named: AccountOption<SophaxChatMessenger>

    @OptionGroup var wait: SessionWaitOptions

    @OptionGroup var keystore: KeystoreOptions

    func validate() throws {
        // Stored names are digests: a part of one finds nothing.
        guard !peer.isShort else {
            throw ValidationError("the name of a peer has \(PeerID.counts[0]) digits here")
        }
    }

    func run(_ session: Session) throws {
        let (keeper, id) = try session.open(named, keystore)
        let facts = try wait.waiting(for: id.description, session) { try keeper.sessions(of: id, with: peer, $0) }
        if facts.isCopied { session.noteCopiedSessions() }
        try session.output.data(
            ["identity       \(id)"] + facts.lines(at: WallClock.now()),
            json: SophaxChatMessenger.result("show-session", [("id", .string(id.description))] + facts.members))
    }
}

extension SophaxKeeper.PeerFacts {
    fileprivate func lines(at now: Timestamp) -> [String] {
        [
            "peer           \(peer.peerID)", "signed         \(bundleForm.map(\.words) ?? "no bundle")",
            "messages       version \(version.number)", "stored         \(ByteCount.text(bytes))",
        ]
            + (sessions.isEmpty
                ? ["session        none"]
                : sessions.enumerated().flatMap { $1.lines("session \($0 + 1)", at: now) })
    }

    fileprivate var members: [(String, JSONValue?)] {
        [
            ("peer", .string(peer.peerID.description)), ("signed", bundleForm.map { .string($0.name) }),
            ("message_version", .number(version.number)), ("copied", .bool(isCopied)), ("bytes", .number(bytes)),
            ("sessions", .array(sessions.map { .members($0.members) })),
        ]
    }
}

extension PeerRecord.Facts {
    /// For people, in lines of the same width.
    fileprivate func lines(_ title: String, at now: Timestamp) -> [String] {
        let state =
            replaced.map { "receives only, replaced \(now.days(since: $0)) ago" }
            ?? (canSend ? "sends" : "sends after the first message of the peer")
        let all = [
            "\(state); \(now.days(since: began)) old",
            "sent \(counts.sent), on the chain before \(counts.previouslySent)", "received \(counts.received)",
            "\(Counted.text(counts.skipped, "key")) of skipped messages",
            "headers \(form.words), \(ByteCount.text(bytes))",
        ]
        return all.enumerated().map { index, line in
            (index == 0 ? title : "").padded(to: 15) + line
        }
    }

    fileprivate var members: [(String, JSONValue?)] {
        [
            ("began_at", .string(began.rfc3339)), ("replaced_at", replaced.map { .string($0.rfc3339) }),
            ("can_send", .bool(canSend && replaced == nil)), ("header_form", .string(form.words)),
            ("sent", .number(counts.sent)), ("previously_sent", .number(counts.previouslySent)),
            ("received", .number(counts.received)), ("skipped_keys", .number(counts.skipped)),
            ("bytes", .number(bytes)),
        ]
    }
}

extension WireMessage.Version {
    fileprivate var number: Int { self == .one ? 1 : 2 }
}

extension HeaderForm {
    /// For people and programs.
    fileprivate var words: String { self == .plain ? "plain" : "labelled" }
}
