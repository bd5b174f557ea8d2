import ArgumentParser
import CommandLine
import Console
import Encodings
import SafeKeeping
import ThreemaKeeping
import SafeRules
import SafeWire
import Threema

struct SafePush: ScheduledVerb {
    static let configuration = CommandConfiguration(
        commandName: "push", abstract: "Upload the Safe backup if it is due.",
        discussion: """
            Needs no Safe password, so that cron can run it. Uploads changes at most once in 23 hours. Uploads an \
            unchanged backup again after half of the server's retention time. Checks at least once a week that the \
            backup is still there, and uploads it again if not. Without --overwrite, a backup of another device is \
            not replaced.
            """)

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: IdentityArgument

    @OptionGroup var place: PlaceOption

    @Flag(help: "Upload now, even if nothing is due.")
    var force = false

    @Flag(help: "Replace the backup of another device.")
    var overwrite = false

    @Flag(help: "Upload even if more than half of the contacts are gone since the last upload.")
    var acceptLoss = false

    @Flag(help: "Upload again after an interrupted deletion.")
    var resumeDeleted = false

    @Flag(help: "Do not read the uploaded backup back.")
    var noVerify = false

    @Flag(help: "Only show what would be done.")
    var dryRun = false

    @OptionGroup var keystore: KeystoreOptions

    @OptionGroup var waiting: TimeLimitOptions

    @OptionGroup var schedule: ScheduleOptions

    func validate() throws { try validateAll() }

    var optionOfOnePlace: String? { overwrite ? "--overwrite" : nil }

    func run(_ session: Session) throws {
        guard dryRun else { return try runScheduled(session) }
        var unmonitored = RunReport()
        try run(session, &unmonitored)
    }

    /// A place that is set up for reading only is left to `safe mirror`. A damaged setup is reported, not left out.
    func chosen(_ places: [ChosenPlace], _ keeper: ThreemaKeeper) -> [ChosenPlace] {
        places.filter { $0.unread != nil || (try? keeper.safe.isReadOnly($0.place)) != true }
    }

    func work(
        _ place: ChosenPlace, _ keeper: ThreemaKeeper, lockWait: Duration, _ output: Output
    ) throws -> SafeKeeper.PushResult {
        var options = SafeKeeper.PushOptions()
        options.isForced = force
        options.isOverwriting = overwrite
        options.isVerifying = !noVerify
        options.isDryRun = dryRun
        options.isAcceptingLoss = acceptLoss
        options.isResumingDeleted = resumeDeleted
        return try output.busy("pushing \(place.label)") {
            try keeper.safe.push(place.place, options, lockWait: lockWait)
        }
    }

    func ageOfSuccess(_ status: SafeKeeper.Status) -> Duration? {
        status.finding == nil ? status.lastGoodPushAge : nil
    }

    var isOnlyShown: Bool { dryRun }

    func limits(_ result: SafeKeeper.PushResult) -> ServerLimits? { result.upload?.limits }

    func warn(_ place: ChosenPlace, _ result: SafeKeeper.PushResult, _ output: Output) {
        let replaced: String? =
            switch result.replaced {
            case .damaged: "the backup on the server was damaged, or too long; it was replaced"
            case .missing:
                "the backup was missing on the server; it was uploaded again. If another machine has changed the Safe "
                    + "password or the server, this one still uses the old ones"
            case .older(let generation): "the server held an older backup, generation \(generation); it was replaced"
            case .foreign: "the backup of another device was replaced; a copy stays in the history for 90 days"
            case nil: nil
            }
        if let replaced { output.warn(place.labelled(replaced)) }
        if let difference = ClockDifference(lead: result.notes.clockLead) {
            output.warn(place.labelled(difference.warning))
        }
        if let stuck = result.stuck {
            let reason = SafeKeepingError.refused(stuck, id: place.id.text, server: result.server.text).failure.message
            output.warn("the change of the Safe of \(place.label) cannot be finished: \(reason)")
            output.warn("keytool safe move --abort \(place.argument) cancels the change")
        }
        if let left = result.left {
            output.warn("the old backup of \(place.label) was not deleted: \(left.reasonLeft)")
            output.hint("keytool safe server --forget-old \(place.argument) stops the attempts")
        }
    }

    func line(_ result: SafeKeeper.PushResult) -> String {
        let kept = result.expiresAt.map { ", expires \($0.day)" } ?? ""
        guard let upload = result.upload else {
            return switch result.outcome {
            case .deferred(let timestamp):
                "deferred: changed, but the last upload is less than 23 hours old; due \(timestamp.rfc3339)"
            case .wouldUpload: "would upload to \(result.server.name)"
            case .wouldConfirm: "would check that the backup is still on \(result.server.name)"
            default:
                "\(result.outcome.word) on \(result.server.name)"
                    + (result.seenAt.map { ", last seen \($0.day)" } ?? "") + kept
            }
        }
        let bytes = ByteCount.text(upload.bytes)
        return (result.outcome == .restored ? "uploaded \(bytes) again" : "\(result.outcome.word) \(bytes)")
            + " to \(result.server.name)"
            + (upload.isVerified ? ", verified" : "") + kept
    }

    func members(_ id: ThreemaID, _ result: SafeKeeper.PushResult) -> [JSONValue.Member] {
        let backup: [(String, JSONValue?)] = [
            ("bytes", result.upload.map { .number($0.bytes) }),
            ("verified", result.upload.map { .bool($0.isVerified) }),
            ("generation", result.upload.map { .number($0.generation) }),
            ("uploaded_at", result.uploadedAt.map { .string($0.rfc3339) }),
            ("seen_at", result.seenAt.map { .string($0.rfc3339) }),
            ("expires_at", result.expiresAt.map { .string($0.rfc3339) }),
        ]
        var next = result.refreshAfter.map { timestamp -> JSONValue in ["refresh_after": .string(timestamp.rfc3339)] }
        if case .deferred(let timestamp) = result.outcome { next = ["upload_after": .string(timestamp.rfc3339)] }
        let members: [(String, JSONValue?)] = [
            ("id", .string(id.text)), ("result", .string(result.outcome.word)), ("reason", .string(result.reason)),
            ("server", .server(result.server, result.upload?.limits)), ("backup", .members(backup)),
            ("next", next), ("attempts", .number(result.attempts)),
        ]
        return JSONValue.members(members).members ?? []
    }
}

extension SafeKeeper.PushResult {
    /// The `reason` in JSON: distinguishes results with the same name.
    fileprivate var reason: String {
        switch replaced {
        case .damaged: "replaced_damaged"
        case .missing: "replaced_missing"
        case .older: "replaced_older"
        case .foreign: "replaced_foreign"
        case nil: outcome.word
        }
    }
}

extension Outcome.Result {
    fileprivate var word: String {
        switch self {
        case .uploaded: "uploaded"
        case .refreshed: "refreshed"
        case .restored: "restored"
        case .confirmed: "confirmed"
        case .unchanged: "unchanged"
        case .deferred: "deferred"
        case .wouldUpload: "would_upload"
        case .wouldConfirm: "would_confirm"
        case .readdressed, .ended, .nothing, .mirrored: "unchanged"
        }
    }
}
