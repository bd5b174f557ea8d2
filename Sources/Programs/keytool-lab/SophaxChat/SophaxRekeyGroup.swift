import ArgumentParser
import CommandLine
import Console
import Encodings
import MessengerKeeping
import SecureMemory
import SophaxChat
import SophaxGroups

struct SophaxRekeyGroup: Verb {
    static let configuration = CommandConfiguration(
        commandName: "rekey-group", abstract: "Begin another chain of a group, and write it for each member.",
        discussion: """
            --members is the whole new list: who is not named opens nothing that is sent from now on. The keystore holds \
            the new chain before the file is written. The file is not encrypted: a program sends each member its part, \
            in the session with it, and then removes the file. If the file is lost, run the command again: that begins \
            yet another chain. The group is one that a program on the library SophaxChat has stored; the command waits \
            for a program that is using it.
            """)

    @OptionGroup var globals: GlobalOptions

    @Argument(help: ArgumentHelp("The name of the group.", valueName: "group"))
    var group: String

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "All other members, 99 at most. 16 digits are enough for one that is a member.", valueName: "peer"))
    var members: [PeerID]

    @OptionGroup var named: AccountOption<SophaxChatMessenger>

    @OptionGroup var written: DocumentOptions

    @OptionGroup var wait: SessionWaitOptions

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        // Refuse before the chain is replaced, not after.
        // The file goes with the chain that is stored, whatever another command has put there meanwhile.
        let target = try written.target(old: .any, outside: session.reserved)
        let (keeper, id) = try session.open(named, keystore)
        try wait.waiting(for: id.description, session) {
            try keeper.rekey(group, of: id, members: members, at: WallClock.now(), $0) { rekeyed in
                try write(rekeyed, to: target, of: id, session)
                rekeyed.warn(session.output)
            }
        }
    }

    private func write(
        _ rekeyed: SophaxKeeper.RekeyedGroup, to target: DocumentTarget, of id: PeerID, _ session: Session
    ) throws {
        let text = rekeyed.rekeying.encoded()
        do {
            try text.withBytes { text in
                try target.write(text) { path in
                    try session.output.done(
                        ["wrote a new chain of \(group.printable) to \(path)"] + rekeyed.lines,
                        json: SophaxChatMessenger.result(
                            "rekey-group",
                            [("id", .string(id.description)), ("file", .string(path)), ("bytes", .number(text.count))]
                                + rekeyed.members))
                }
            }
        } catch {
            session.output.warn("the group has a new chain that no member was given: run the command again")
            throw error
        }
    }
}

extension SophaxKeeper.RekeyedGroup {
    fileprivate var lines: [String] {
        ["generation     \(rekeying.generation)"]
            + rekeying.parts.enumerated().map { index, part in
                (index == 0 ? "members" : "").padded(to: 15)
                    + "\(part.member)\(rekeying.added.contains(part.member) ? ", new" : "")"
            }
            + rekeying.removed.enumerated().map { index, peer in
                (index == 0 ? "removed" : "").padded(to: 15) + peer.description
            }
    }

    fileprivate var members: [(String, JSONValue?)] {
        let members = zip(rekeying.parts, deliveries).map { part, delivery in
            JSONValue.members([
                ("id", .string(part.member.description)), ("new", .bool(rekeying.added.contains(part.member))),
                ("session", .string(delivery.name)),
            ])
        }
        return [
            ("group", .string(rekeying.group)), ("generation", .number(rekeying.generation)),
            ("members", .array(members)), ("removed", .array(rekeying.removed.map { .string($0.description) })),
            ("without_version_3", .array(form.without.map { .string($0.description) })),
        ]
    }

    /// Names members that cannot be given the chain now, or that may not be able to use it.
    fileprivate func warn(_ output: Output) {
        for (part, delivery) in zip(rekeying.parts, deliveries) {
            switch delivery {
            case .possible: continue
            case .noSession:
                output.warn("there is no session with \(part.member): it is given the chain when there is one")
            case .damagedSession:
                output.warn(
                    "the session with \(part.member) is damaged: it is given the chain when there is another one")
            case .laterSession:
                output.warn(
                    "the session with \(part.member) is of a later version: only a newer program gives it the chain")
            }
        }
        let count = form.without.count
        if count > 0 {
            output.note(
                "\(Counted.text(count, "member")) \(count == 1 ? "has" : "have") not proved version 3 of groups: until "
                    + "then programs send all members the old form")
        }
    }
}

extension SophaxKeeper.Delivery {
    fileprivate var name: String {
        switch self {
        case .possible: "held"
        case .noSession: "none"
        case .damagedSession: "damaged"
        case .laterSession: "later"
        }
    }
}

extension GroupForm {
    /// Members that have not proved version 3.
    var without: [PeerID] {
        switch self {
        case .version3: []
        case .mixed(let members): members
        }
    }
}
