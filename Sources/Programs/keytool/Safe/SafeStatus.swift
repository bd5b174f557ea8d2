import CommandLine
import HTTP
import ArgumentParser
import Console
import Encodings
import SafeKeeping
import ThreemaKeeping
import SafeRules
import SafeWire
import Threema

struct SafeStatus: Verb {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show how old the Safe backup is. Only --remote contacts the server.")

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: IdentityArgument

    @OptionGroup var place: PlaceOption

    @Flag(help: "Show every place of every identity whose Safe is set up.")
    var all = false

    @Option(
        help: ArgumentHelp(
            "Fail (18) if the backup was not seen, or changes were not pushed, within this time, or if the last check failed.",
            valueName: "duration"))
    var maxAge: TimeSpan?

    @Flag(
        help:
            "Also ask the server. Fail if the backup is missing (10), damaged (65), older (19) or of another device (20)."
    )
    var remote = false

    @OptionGroup var keystore: KeystoreOptions

    @OptionGroup var waiting: TimeLimitOptions

    func validate() throws { try place.validate(all: all, named) }

    func run(_ session: Session) throws {
        let keeper = try session.keeper(keystore.passphrase, waiting.limits)
        let places = try places(session, keeper)
        if let only = places.first, !all, only.isOnly || place.name != nil {
            return try only.naming { try show(only, keeper, session) }
        }
        try session.forEach(places, keeper, waiting.limits, command: "safe status", isData: true) { place, keeper in
            let report = try report(place.place, keeper, session)
            report.look?.warn(place, session.output)
            return PlaceReport(
                line: line(report), members: members(place.id, report), failure: failure(place.id, report))
        }
    }

    private func places(_ session: Session, _ keeper: ThreemaKeeper) throws -> [ChosenPlace] {
        guard all else {
            return try session.places(place.name, of: session.identity(named.id, in: keeper), in: keeper)
        }
        return try session.places(in: keeper).flatMap { $0 }
    }

    /// What is known of a place, and with `--remote` what its server says.
    private struct Report {
        let status: SafeKeeper.Status
        let look: SafeKeeper.Look?
        let pin: PublicKeyPin?
        let shares: ShareAges?
        let kit: KitAge?
    }

    private func report(_ place: SafePlace, _ keeper: ThreemaKeeper, _ session: Session) throws -> Report {
        let look = remote ? try session.output.busy("contacting the server") { try keeper.safe.look(at: place) } : nil
        // What the look has found is part of it.
        return Report(
            status: try keeper.safe.status(of: place), look: look,
            pin: remote ? try keeper.safe.presentPin(of: place) : nil,
            shares: ShareAges(of: place.id, in: keeper), kit: KitAge(of: place.id, in: keeper))
    }

    /// Shows one place in a table.
    private func show(_ place: ChosenPlace, _ keeper: ThreemaKeeper, _ session: Session) throws {
        let report = try report(place.place, keeper, session)
        var lines = lines(place, report.status, try keeper.safe.server(of: place.place))
        lines += report.shares.map { ["shares      \($0.words)"] } ?? []
        lines += report.kit.map { ["kit         \($0.words)"] } ?? []
        lines += report.look.map { self.lines($0, report.pin) } ?? []
        report.look?.warn(place, session.output)
        try session.output.finish(failure(place.id, report), isReported: false) {
            try session.output.data(
                lines,
                json: .result("safe status", place.members(members(place.id, report)).map { ($0.name, $0.value) }))
        }
    }

    /// What the exit code is about: what the look found; without a look, the age.
    private func failure(_ id: ThreemaID, _ report: Report) -> Failure? {
        let status = report.status
        do {
            try report.look?.check(id)
        } catch {
            return Failure(error)
        }
        guard let maxAge else { return nil }
        // A look that found the backup has no age.
        guard report.look == nil else { return waiting(id, status, maxAge.duration) }
        let age = status.finding == nil ? status.lastSeenAge : nil
        if let age, age <= maxAge.duration { return waiting(id, status, maxAge.duration) }
        guard !status.isDeleted else { return Self.deleted(id) }
        return Failure(
            .overdue,
            status.finding.map { "the last check of the server \($0.words)" }
                ?? status.lastSuccess.map { "the backup was last known to be on the server on \($0.day)" }
                ?? age.map {
                    "the backup was last known to be on the server \(Counted.text(Int($0.days), "day")) ago or earlier"
                }
                ?? (status.isReadOnly
                    ? "no backup was ever mirrored" : "the backup was never known to be on the server"))
    }

    /// Changes that no push has uploaded for too long, although looks have found the earlier backup.
    private func waiting(_ id: ThreemaID, _ status: SafeKeeper.Status, _ maxAge: Duration) -> Failure? {
        guard status.hasChanges, !status.isReadOnly else { return nil }
        if let age = status.lastGoodPushAge, age <= maxAge { return nil }
        return Failure(
            .overdue,
            "changes are not uploaded, and "
                + (status.lastGoodPush.map { "the last push that succeeded was on \($0.day)" }
                    ?? "it is not known when a push last succeeded"),
            hints: "\(safe: "push") \(id) uploads them")
    }

    private static func deleted(_ id: ThreemaID) -> Failure {
        Failure(.overdue, "the backup was deleted by keytool safe delete", hints: "\(safe: "push") \(id) uploads it")
    }

    /// One of several places, in one line.
    private func line(_ report: Report) -> String {
        let status = report.status
        let facts = [
            status.isReadOnly ? "for reading only" : nil,
            status.isReadOnly
                ? "last good \(status.lastGoodMirror?.rfc3339 ?? "never")"
                : status.uploadedAt.map { "uploaded \($0.rfc3339)" }
                    ?? notKnownWhen(status).map { "uploaded \($0)" } ?? "never uploaded",
            status.bytes.map { ByteCount.text($0) },
            status.isReadOnly ? nil : status.expiresAt.map { "expires \($0.day)" },
            status.hasChanges && !status.isReadOnly && status.uploadedAt != nil ? "changes not uploaded yet" : nil,
            status.hasFailed ? "the last push failed" : nil,
            status.finding.map { "the last check \($0.words)" },
            change(status).map { (status.isChangeCancelled ? "a cancelled " : "an unfinished ") + $0 },
            status.isDeleting ? "an interrupted deletion" : nil,
            status.oldServer.map { "an old backup left on \($0)" },
            report.look.map { "the server has \($0.failure.map { $0.found } ?? $0.goodWords)" },
        ]
        return ([status.server.text] + facts.compactMap { $0 }).joined(separator: ", ")
    }

    private func lines(
        _ chosen: ChosenPlace, _ status: SafeKeeper.Status, _ server: borrowing SafeEndpoint
    ) -> [String] {
        func day(_ timestamp: Timestamp?) -> String { timestamp?.rfc3339 ?? "never" }
        func lastSeen(_ timestamp: Timestamp?) -> String {
            timestamp?.rfc3339 ?? (status.lastSeenAge == nil ? "never" : Self.unknownTime)
        }
        var user: String?
        switch server.login {
        case .some(let login): user = login.user
        case .none: break
        }
        let place = "safe        \(chosen.id) on \(status.server.text)" + (user.map { " as \($0)" } ?? "")
        guard !status.isReadOnly else {
            return [
                place + ", for reading only", "mirrored    \(day(status.mirroredAt))",
                "last good   \(lastSeen(status.lastGoodMirror))",
                status.bytes.map { "size        \(ByteCount.text($0))" },
                status.finding.map { "found       the last check \($0.words)" },
                "verified    Safe password \(day(status.passwordProvenAt)), backup code \(day(status.codeProvenAt))",
            ].compactMap { $0 }
        }
        return [
            place,
            uploaded(status),
            "last seen   \(lastSeen(status.seenAt))",
            status.bytes.map { "size        \(ByteCount.text($0))" },
            "expires     \(status.expiresAt?.day ?? "unknown")",
            "changes     \(status.hasChanges ? "not uploaded yet" : "none")"
                + (status.hasFailed ? "; the last push failed" : ""),
            status.finding.map { "found       the last check \($0.words); the next push checks again" },
            change(status).map {
                status.isChangeCancelled
                    ? "unfinished  the \($0) was cancelled; the next push deletes what was uploaded for it"
                    : "unfinished  a \($0); the next push tries to finish it, keytool safe "
                        + "\(status.isChangingPassword ? "passwd" : "move") --abort \(chosen.argument) cancels it"
            },
            status.isDeleting
                ? "unfinished  a deletion was interrupted: run keytool safe delete \(chosen.argument) or "
                    + "keytool safe push --resume-deleted \(chosen.argument)" : nil,
            status.oldServer.map {
                "left over   an old backup on \($0); every push tries to delete it, "
                    + "keytool safe server --forget-old \(chosen.argument) stops that"
            },
            status.honoursConditions == false
                ? "writes      the server ignores conditions: an upload of another device in the same second can be overwritten"
                : nil,
            "verified    Safe password \(day(status.passwordProvenAt)), backup code \(day(status.codeProvenAt))",
        ].compactMap { $0 }
    }

    /// What of a change is unfinished; nil if none is.
    private func change(_ status: SafeKeeper.Status) -> String? {
        status.newServer.map { status.isChangingPassword ? "change of the Safe password" : "change to \($0)" }
    }

    /// A time in the future was remembered.
    private static let unknownTime = "at an unknown time: the clock was wrong then, or is now"

    /// Why there is no time of the upload; nil if there is one, or if there was no upload.
    private func notKnownWhen(_ status: SafeKeeper.Status) -> String? {
        if status.isDeleted { return "nothing since the backup was deleted" }
        guard status.isUploadInFuture else { return nil }
        return "\(Self.unknownTime), generation \(status.generation)"
    }

    private func uploaded(_ status: SafeKeeper.Status) -> String {
        if let words = notKnownWhen(status) { return "uploaded    \(words)" }
        guard let timestamp = status.uploadedAt else {
            return "uploaded    never from this keystore"
                + (status.generation > 0 ? "; the server held generation \(status.generation)" : "")
        }
        return "uploaded    \(timestamp.rfc3339), generation \(status.generation)"
    }

    private func lines(_ look: SafeKeeper.Look, _ pin: PublicKeyPin?) -> [String] {
        [
            "server has  " + (look.failure.map { $0.found } ?? look.goodWords),
            look.limits.map {
                "limits      \(ByteCount.text($0.maxBackupBytes)), \($0.retentionDays) days"
            },
            pin.map { "public key  \($0.text)" },
        ].compactMap { $0 }
    }

    /// In JSON, the ID first.
    private func members(_ id: ThreemaID, _ report: Report) -> [JSONValue.Member] {
        let (status, look, pin) = (report.status, report.look, report.pin)
        func timestamp(_ timestamp: Timestamp?) -> JSONValue? { timestamp.map { .string($0.rfc3339) } }
        return JSONValue.members(
            [
                ("id", .string(id.text)), ("server", .server(status.server, look?.limits)),
                ("uploaded_at", timestamp(status.uploadedAt)), ("seen_at", timestamp(status.seenAt)),
                ("expires_at", timestamp(status.expiresAt)), ("generation", .number(status.generation)),
                ("bytes", status.bytes.map { .number($0) }),
                ("changed", .bool(status.hasChanges && !status.isReadOnly)), ("failed", .bool(status.hasFailed)),
                ("finding", status.finding.map { .string($0.rawValue) }),
                ("changing", .bool(status.newServer != nil)), ("new_server", status.newServer.map { .string($0) }),
                ("changing_password", .bool(status.isChangingPassword)),
                ("deleting", .bool(status.isDeleting)), ("old_server", status.oldServer.map { .string($0) }),
                ("read_only", .bool(status.isReadOnly)), ("mirrored_at", timestamp(status.mirroredAt)),
                ("last_good_mirror", timestamp(status.lastGoodMirror)),
                ("honours_conditions", status.honoursConditions.map { .bool($0) }),
                ("password_proven_at", timestamp(status.passwordProvenAt)),
                ("code_proven_at", timestamp(status.codeProvenAt)),
                ("shares", report.shares?.json), ("kit", report.kit?.json),
                ("remote", look.map { Self.json($0, pin) }),
            ]).members ?? []
    }

    private static func json(_ look: SafeKeeper.Look, _ pin: PublicKeyPin?) -> JSONValue {
        .members([
            ("known", .bool(look.failure == nil)), ("found", .string(look.failure?.word ?? look.goodWord)),
            ("contacts", look.contacts.map { .number($0) }), ("pin", pin.map { .string($0.text) }),
            ("clock_lead_seconds", look.notes.clockLead.map { .number(Int($0.components.seconds)) }),
        ])
    }
}
