import ArgumentParser
import CommandLine
import Console
import Encodings
import MessengerKeeping
import Ratchet
import SophaxChat
import SophaxGroups

struct SophaxShowGroup: Verb {
    static let configuration = CommandConfiguration(
        commandName: "show-group", abstract: "Show a group: members, chains and what is missing, without keys.",
        discussion: """
            It is one that a program on the library SophaxChat has stored in the keystore. The command waits for a \
            program that is using it.
            """)

    @OptionGroup var globals: GlobalOptions

    @Argument(help: ArgumentHelp("The name of the group.", valueName: "group"))
    var group: String

    @OptionGroup var named: AccountOption<SophaxChatMessenger>

    @OptionGroup var wait: SessionWaitOptions

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        let (keeper, id) = try session.open(named, keystore)
        let now = WallClock.now()
        let facts = try wait.waiting(for: id.description, session) { try keeper.group(group, of: id, at: now, $0) }
        if facts.isCopied {
            session.output.note("this group is a copy: the program that uses it has to end its chain first")
        }
        for member in facts.members where member.status == .forked {
            session.output.warn(
                "the messages of \(member.id) do not fit together: it has sent different ones, or one was changed")
        }
        for member in facts.members {
            guard let claimant = member.claimant else { continue }
            session.output.warn(
                "\(claimant) claims that \(member.id) has shown it other messages: nothing proves which of them lies")
        }
        try session.output.data(
            ["identity       \(id)", "group          \(group.printable)"] + facts.lines(at: now),
            json: SophaxChatMessenger.result(
                "show-group", [("id", .string(id.description)), ("group", .string(group))] + facts.words))
    }
}

extension SophaxKeeper.GroupFacts {
    fileprivate func lines(at now: Timestamp) -> [String] {
        let waiting =
            pending.isEmpty ? "" : "; nothing can be sent until \(Counted.text(pending.count, "member")) got the chain"
        return [
            "own chain      "
                + (own.map {
                    "generation \($0.generation), \(now.days(since: $0.started)) old, sent \($0.next - $0.first)"
                } ?? "none") + waiting,
            "messages       \(form.without.isEmpty ? "version 3" : "mixed: sent in the old form")",
            "stored         \(ByteCount.text(bytes))",
        ]
            + members.flatMap { member in
                [
                    "member         \(member.id)"
                        + (member.hasOwnChain && !pending.contains(member.id) ? "" : ", lacks the own chain"),
                    "".padded(to: 15) + member.line,
                ]
            }
    }

    /// For programs.
    fileprivate var words: [(String, JSONValue?)] {
        [
            ("copied", .bool(isCopied)), ("bytes", .number(bytes)), ("mixed", .bool(!form.without.isEmpty)),
            ("generation", generation.map { .number($0) }),
            ("own_chain_began_at", own.map { .string($0.started.rfc3339) }),
            ("sent", own.map { .number($0.next - $0.first) }),
            ("pending", .array(pending.map { .string($0.description) })),
            ("members", .array(members.map { .members($0.words) })),
        ]
    }
}

extension SophaxKeeper.GroupFacts.Member {
    /// For people: the chain and its messages.
    fileprivate var line: String {
        guard let chain else { return "no chain; \(hasProved ? "version 3" : "version 3 not proved")" }
        let next = "next message \(chain.next.map { "\($0)" } ?? "none")"
        let keys = "\(Counted.text(skipped, "key")) of skipped messages"
        guard hasProved else { return "\(Counted.text(openChains, "chain")) of the old form, \(next); \(keys)" }
        return "generation \(chain.generation), \(next), \(missing); \(keys); version 3"
    }

    private var missing: String {
        switch status {
        case .consistent?, nil: "nothing missing"
        case .gap(let from, let to)?: from == to ? "\(from) missing" : "\(from) to \(to) missing"
        case .forked?: "forked"
        }
    }

    /// For programs.
    fileprivate var words: [(String, JSONValue?)] {
        var gap: [(String, JSONValue?)] = []
        if case .gap(let from, let to)? = status {
            gap = [("missing_from", .number(from)), ("missing_to", .number(to))]
        }
        return [
            ("id", .string(id.description)), ("version_3", .bool(hasProved)), ("has_own_chain", .bool(hasOwnChain)),
            ("generation", hasProved ? chain.map { .number($0.generation) } : nil),
            ("old_chains", hasProved || chain == nil ? nil : .number(openChains)),
            ("next", chain?.next.map { .number($0) }),
            ("skipped_keys", .number(skipped)), ("forked", .bool(status == .forked)),
            ("fork_claimed_by", claimant.map { .string($0.description) }),
        ] + gap
    }
}
