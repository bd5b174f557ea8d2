import ArgumentParser
import CommandLine
import Console
import Encodings
import SafeKeeping
import SafeRules
import SafeWire
import ThreemaKeeping
import Threema

struct SafeMirror: ScheduledVerb {
    static let configuration = CommandConfiguration(
        commandName: "mirror", abstract: "Fetch the Safe backup that a phone writes, and store it in the history.",
        discussion: """
            For cron, beside a phone that writes the Safe. Never writes to the server. Opens the backup and stores its \
            encrypted bytes in the keystore if they are new. Fails if the backup is missing (10), damaged (65), \
            older than the newest stored one or of another private key (19), or if over half of the contacts are gone \
            (17). The stored backups stay in any case: keytool safe history lists them.
            """)

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: IdentityArgument

    @OptionGroup var place: PlaceOption

    @Option(
        help: ArgumentHelp(
            "Which stored backups stay after a success (default last=3,daily=7,weekly=4,monthly=12), or all.",
            valueName: "rules"))
    var keep: RetentionRules?

    @Option(
        help: ArgumentHelp("Fail (18) if the backup has not changed for this time.", valueName: "duration"))
    var maxAge: TimeSpan?

    @Flag(help: "Accept a backup that has lost over half of the contacts as the normal one.")
    var acceptLoss = false

    @OptionGroup var keystore: KeystoreOptions

    @OptionGroup var waiting: TimeLimitOptions

    @OptionGroup var schedule: ScheduleOptions

    func validate() throws { try validateAll() }

    var optionOfOnePlace: String? { acceptLoss ? "--accept-loss" : nil }

    func run(_ session: Session) throws { try runScheduled(session) }

    /// The places that another device writes; all of them if there is no such place. A damaged setup is reported, not
    /// left out.
    func chosen(_ places: [ChosenPlace], _ keeper: ThreemaKeeper) -> [ChosenPlace] {
        let known = places.map { $0.unread == nil ? try? keeper.safe.isReadOnly($0.place) : nil }
        guard known.contains(true) else { return places }
        return zip(places, known).filter { $0.1 != false }.map(\.0)
    }

    func work(
        _ place: ChosenPlace, _ keeper: ThreemaKeeper, lockWait: Duration, _ output: Output
    ) throws -> SafeKeeper.MirrorResult {
        var options = SafeKeeper.MirrorOptions()
        options.isAcceptingLoss = acceptLoss
        if let keep { options.retention = keep.retention }
        let result = try output.busy("downloading the Safe backup of \(place.label)") {
            try keeper.safe.mirror(place.place, options, lockWait: lockWait)
        }
        guard let maxAge, result.changedAge > maxAge.duration else { return result }
        // A time in the future is from a wrong clock.
        let time =
            result.changedAt <= WallClock.now()
            ? "since \(result.changedAt.rfc3339)" : "for at least \(Counted.text(Int(result.changedAge.days), "day"))"
        throw Failure(
            .overdue, "the Safe backup of \(place.id) has not changed \(time)",
            hints: "check that the phone still writes it")
    }

    func ageOfSuccess(_ status: SafeKeeper.Status) -> Duration? { status.lastGoodMirrorAge }

    var isOnlyShown: Bool { false }

    func limits(_ result: SafeKeeper.MirrorResult) -> ServerLimits? { nil }

    func warn(_ place: ChosenPlace, _ result: SafeKeeper.MirrorResult, _ output: Output) {
        if let difference = ClockDifference(lead: result.notes.clockLead) {
            output.warn(place.labelled(difference.warning))
        }
    }

    func line(_ result: SafeKeeper.MirrorResult) -> String {
        let accepted = acceptLoss ? "; it is the normal backup now" : ""
        guard result.isNew else {
            return "unchanged on \(result.server.name) since \(result.changedAt.rfc3339)" + accepted
        }
        return "mirrored \(ByteCount.text(result.bytes)) from \(result.server.name), "
            + Counted.text(result.contacts, "contact")
            + accepted
    }

    func members(_ id: ThreemaID, _ result: SafeKeeper.MirrorResult) -> [JSONValue.Member] {
        JSONValue.members([
            ("id", .string(id.text)), ("result", result.isNew ? "mirrored" : "unchanged"),
            ("server", .server(result.server, nil)), ("bytes", .number(result.bytes)),
            ("contacts", .number(result.contacts)), ("groups", .number(result.groups)),
            ("changed_at", .string(result.changedAt.rfc3339)),
        ]).members ?? []
    }
}

/// The rules of `--keep`.
struct RetentionRules: ExpressibleByArgument {
    /// Nil for all backups.
    let retention: Retention?

    init?(argument: String) {
        guard argument != "all" else {
            retention = nil
            return
        }
        var rules = Retention()
        var seen: Set<String> = []
        for rule in argument.split(separator: ",", omittingEmptySubsequences: false) {
            let parts = rule.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, seen.insert(parts[0]).inserted, let count = Int(parts[1]),
                (0...100_000).contains(count), parts[1].utf8.allSatisfy({ (48...57).contains($0) })
            else { return nil }
            switch parts[0] {
            case "last": rules.last = count
            case "daily": rules.daily = count
            case "weekly": rules.weekly = count
            case "monthly": rules.monthly = count
            default: return nil
            }
        }
        retention = rules
    }
}
