import ArgumentParser
import CommandLine
import Console
import Encodings
import MessengerKeeping
import SophaxChat
import SophaxStorage

struct SophaxShowPrekeys: Verb {
    static let configuration = CommandConfiguration(
        commandName: "show-prekeys", abstract: "Show the prekeys of an identity: numbers and ages.")

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: AccountArgument<SophaxChatMessenger>

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        let (keeper, id) = try session.open(named, keystore)
        guard let prekeys = try keeper.summary(id).prekeys else { throw SophaxNoPrekeys(id: id) }
        let now = WallClock.now()
        try session.output.data(
            ["identity       \(id)"] + prekeys.lines(at: now),
            json: SophaxChatMessenger.result(
                "show-prekeys", [("id", .string(id.description))] + prekeys.members(at: now)))
        prekeys.hint(at: now, id, session.output)
    }
}

struct SophaxRefillPrekeys: Verb {
    static let configuration = CommandConfiguration(
        commandName: "refill-prekeys", abstract: "Fill the pool of one-time prekeys up to 20.",
        discussion: "An identity without prekeys, for example one from an identity backup, gets all of them.")

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: AccountArgument<SophaxChatMessenger>

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        let (keeper, id) = try session.open(named, keystore)
        let now = WallClock.now()
        let change = try keeper.refill(id, at: now)
        try session.output.done(
            ["made \(Counted.text(change.made, "one-time prekey")) of \(id)"] + change.summary.lines(at: now),
            json: SophaxChatMessenger.result("refill-prekeys", change.members(id, at: now)))
        change.summary.hint(at: now, id, session.output)
    }
}

struct SophaxRotatePrekeys: Verb {
    static let configuration = CommandConfiguration(
        commandName: "rotate-prekeys", abstract: "Replace the signed prekey and the last-resort key of an identity.",
        discussion: """
            They are replaced if they are 7 days old, or at once with --force. Those before are kept for 14 days, for \
            peers that have an old bundle. --force says that the clock is right: times later than now count as now. \
            With --if-due, cron runs it: for every identity, or for the named one. Prekeys that are missing are not \
            made: keytool sophaxchat refill-prekeys makes them.
            """)

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: AccountArgument<SophaxChatMessenger>

    @Flag(help: "Replace them now, whatever their age.")
    var force = false

    @Flag(help: "For cron: all identities unless one is named, and no output if none is due.")
    var ifDue = false

    @OptionGroup var keystore: KeystoreOptions

    func validate() throws {
        if force, ifDue { throw ValidationError("--force and --if-due cannot be combined") }
    }

    func run(_ session: Session) throws {
        guard !ifDue else { return try rotateDue(session) }
        let (keeper, id) = try session.open(named, keystore)
        let now = WallClock.now()
        let change = try keeper.rotate(id, isForced: force, at: now)
        try session.output.done(
            [
                change.isRotated
                    ? "replaced the signed prekey of \(id)" : "the signed prekey of \(id) is less than 7 days old"
            ] + change.summary.lines(at: now),
            json: SophaxChatMessenger.result("rotate-prekeys", change.members(id, at: now)))
        change.summary.hint(at: now, id, session.output)
    }

    /// One identity after the other. What keeps one from it does not keep the others.
    private func rotateDue(_ session: Session) throws {
        let (output, keeper) = (session.output, try session.keeper(SophaxChatMessenger.self, keystore))
        let ids = try keeper.ids()
        let chosen = try named.id == nil && !ids.isEmpty ? ids : [SophaxChatMessenger.chosen(named.id, of: ids)]
        var (lines, results, worst) = ([String](), [JSONValue](), Failure?.none)
        for id in chosen {
            let now = WallClock.now()
            do {
                let change = try keeper.rotate(id, isForced: false, at: now)
                if change.isRotated { lines.append("replaced the signed prekey of \(id)") }
                results.append(.members(change.members(id, at: now)))
                change.summary.warn(at: now, id, output)
            } catch is SophaxNoPrekeys {
                // None is due. They may be in a file that is still to be imported.
                results.append(.members([("id", .string(id.description)), ("made", .number(0)), ("rotated", false)]))
            } catch {
                let failure = Failure(error)
                if !output.isJSON { failure.report(about: id.description) }
                results.append(.members([("id", .string(id.description)), ("error", failure.json)]))
                worst = Failure.worse(worst, failure)
            }
        }
        try output.finish(worst, isReported: true) {
            try output.done(lines, json: SophaxChatMessenger.result("rotate-prekeys", [("results", .array(results))]))
        }
    }
}

struct SophaxExportBundle: Verb {
    static let configuration = CommandConfiguration(
        commandName: "export-bundle", abstract: "Write a signed bundle of prekeys as JSON.",
        discussion: """
            Peers begin sessions with it. They refuse it an hour after it was made. It contains the last-resort key, \
            which serves any number of peers; --one-time puts a one-time prekey in its place, which only one peer may \
            be given. That it was given out is not recorded: note its number. A bundle has no secrets.
            """)

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: AccountArgument<SophaxChatMessenger>

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Write to a new file (0600), or - for stdout.", valueName: "file"), completion: .file())
    var output = "-"

    @Flag(help: "Overwrite an existing file.")
    var force = false

    @Option(
        name: .customLong("one-time"),
        help: ArgumentHelp("The one-time prekey with this number; nobody else may have it.", valueName: "number"))
    var oneTime: UInt32?

    @Option(help: ArgumentHelp("Where peers reach the app, up to 256 bytes.", valueName: "host:port"))
    var address: String?

    @OptionGroup var keystore: KeystoreOptions

    func validate() throws {
        guard address.map({ (1...256).contains($0.utf8.count) }) ?? true else {
            throw ValidationError("an address has 1 to 256 bytes")
        }
    }

    func run(_ session: Session) throws {
        let file = output == "-" ? nil : try ResultFile(output, mayReplace: force, outside: session.reserved)
        let (keeper, id) = try session.open(named, keystore)
        let now = WallClock.now()
        // The prekeys are stored before they leave: the bundle's are those that the keystore holds.
        let bundle = try bundle(of: keeper.wholeAccount(id), id, at: now)
        if let oneTime {
            session.output.warn(
                "it is not recorded that one-time prekey \(oneTime) was given out: do not export it again")
        }
        guard let file else { return try Output.writeResult((bundle.encoded + [UInt8(ascii: "\n")]).span) }
        let text = bundle.encoded
        try file.write(text.span) {
            try session.output.done(
                ["wrote a bundle of \(id) to \(file.path)"],
                json: SophaxChatMessenger.result(
                    "export-bundle",
                    [
                        ("id", .string(id.description)), ("file", .string(file.path)), ("bytes", .number(text.count)),
                        ("signed_prekey_id", .number(bundle.signedPrekeyID)),
                        ("one_time_prekey_id", bundle.oneTime.map { .number($0.id) }),
                    ]))
        }
    }

    private func bundle(of account: borrowing SophaxAccount, _ id: PeerID, at now: Timestamp) throws -> PrekeyBundle {
        switch account.prekeys {
        case .none: throw SophaxNoPrekeys(id: id)
        case .some(let prekeys):
            let chosen = try oneTime.map { number in
                guard let prekey = prekeys.oneTimePrekey(number) else {
                    throw SophaxNoOneTimePrekey(number: number, id: id)
                }
                return prekey
            }
            // The name and the address were checked, so there is one.
            return prekeys.bundle(
                of: account.identity, oneTime: chosen, username: account.username, address: address, at: now)!
        }
    }
}

/// The pool of an identity has no one-time prekey of this number.
struct SophaxNoOneTimePrekey: Error {
    let number: UInt32
    let id: PeerID
}

extension PrekeySummary {
    func lines(at now: Timestamp) -> [String] {
        var lines = signed.map { prekey in
            let replaced = prekey.replaced.map { ", replaced \(now.days(since: $0)) ago" } ?? ""
            return "signed prekey  \(prekey.id), \(now.days(since: prekey.made)) old\(replaced)"
        }
        if let current = signed.last {
            lines.append("last resort    \(PrekeyBundle.lastResortID), \(now.days(since: current.made)) old")
        }
        return lines + ["one-time       \(Counted.text(oneTimeIDs.count, "prekey"))"]
    }

    func members(at now: Timestamp) -> [(String, JSONValue?)] {
        let all = signed.map { prekey in
            JSONValue.members([
                ("id", .number(prekey.id)), ("made", .string(prekey.made.rfc3339)),
                ("replaced", prekey.replaced.map { .string($0.rfc3339) }),
            ])
        }
        // It is made with the signed prekey, and replaced with it.
        let lastResort = signed.last.map { prekey in
            JSONValue.members([("id", .number(PrekeyBundle.lastResortID)), ("made", .string(prekey.made.rfc3339))])
        }
        return [
            ("signed_prekeys", .array(all)), ("last_resort", lastResort),
            ("one_time_prekeys", .number(oneTimeIDs.count)),
            ("one_time_ids", .array(oneTimeIDs.map { .number($0) })),
        ]
    }

    /// - Parameter id: nil for doctor, which names no identity.
    /// - Returns: nil if the clock may be right.
    func clockWarning(at now: Timestamp, of id: PeerID? = nil) -> String? {
        guard now < newestMade else { return nil }
        return "the clock is wrong, or was: a signed prekey was made at \(newestMade.rfc3339); "
            + "if the clock is right now: keytool sophaxchat rotate-prekeys --force \(id?.description ?? "PEER-ID")"
    }

    /// Says if the clock cannot be right.
    fileprivate func warn(at now: Timestamp, _ id: PeerID, _ output: Output) {
        if let warning = clockWarning(at: now, of: id) { output.warn(warning) }
    }

    /// Says what to do about a wrong clock, and old or few prekeys.
    func hint(at now: Timestamp, _ id: PeerID, _ output: Output) {
        warn(at: now, id, output)
        if let current = signed.last, now - current.made >= PrekeyStore.rotation {
            output.hint("the signed prekey is old: keytool sophaxchat rotate-prekeys \(id)")
        }
        if 2 * oneTimeIDs.count < PrekeyStore.poolCount {
            output.hint("one-time prekeys run short: keytool sophaxchat refill-prekeys \(id)")
        }
    }
}

extension SophaxKeeper.PrekeyChange {
    fileprivate func members(_ id: PeerID, at now: Timestamp) -> [(String, JSONValue?)] {
        [("id", .string(id.description)), ("made", .number(made)), ("rotated", .bool(isRotated))]
            + summary.members(at: now)
    }
}
