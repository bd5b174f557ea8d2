import HTTP
import ArgumentParser
import Console
import Encodings
import ThreemaKeeping
import SafeRules
import SafeWire
import Threema

struct SafeStatus: Verb {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show how old the Safe backup is. Only --remote contacts the server.")

    @ParentCommand var noun: SafeCommand
    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: IdentityArgument

    @Option(
        help: ArgumentHelp(
            "Fail (18) if the backup was not seen on the server within this time, or if the last check failed.",
            valueName: "duration"))
    var maxAge: TimeSpan?

    @Flag(
        help:
            "Also ask the server. Fail if the backup is missing (10), damaged (65), older (19) or of another device (20)."
    )
    var remote = false

    @OptionGroup var keystore: KeystoreOptions

    @OptionGroup var waiting: TimeLimitOptions

    func run(_ session: Session) throws {
        let keeper = try session.keeper(keystore.passphrase, waiting.limits)
        let id = try session.identity(named.id, in: keeper)
        let look = remote ? try session.output.busy("contacting the server") { try keeper.safe.look(at: id) } : nil
        // What the look has found is part of it.
        let status = try keeper.safe.status(of: id)
        let pin = remote ? try keeper.safe.presentPin(of: id) : nil
        try session.output.data(
            lines(id, status, try keeper.safe.server(of: id)) + (look.map { lines($0, pin) } ?? []),
            json: json(id, status, look, pin))
        look?.warn(session.output)
        try look?.check(id)
        // A look that found the backup has no age.
        guard let maxAge, look == nil else { return }
        let age = status.lastSuccess.map { WallClock.now() - $0 }
        guard let age, age <= maxAge.duration else {
            guard !status.isDeleted else { throw Self.deleted(id) }
            throw CommandFailure(
                failure: Failure(
                    .overdue,
                    status.finding.map { "the last check of the server \($0.words)" }
                        ?? status.lastSuccess.map { "the backup was last known to be on the server on \($0.day)" }
                        ?? (status.isReadOnly
                            ? "no backup was ever mirrored" : "the backup was never known to be on the server")))
        }
    }

    private static func deleted(_ id: ThreemaID) -> CommandFailure {
        CommandFailure(
            failure: Failure(
                .overdue, "the backup was deleted by keytool safe delete", hints: "keytool safe push \(id) uploads it"))
    }

    private func lines(_ id: ThreemaID, _ status: SafeKeeper.Status, _ server: borrowing SafeEndpoint) -> [String] {
        func day(_ timestamp: Timestamp?) -> String { timestamp?.rfc3339 ?? "never" }
        var user: String?
        switch server.login {
        case .some(let login): user = login.user
        case .none: break
        }
        let place = "safe        \(id) on \(status.server.text)" + (user.map { " as \($0)" } ?? "")
        guard !status.isReadOnly else {
            return [
                place + ", for reading only", "mirrored    \(day(status.mirroredAt))",
                "last good   \(day(status.lastGoodMirror))",
                status.finding.map { "found       the last check \($0.words)" },
                "verified    Safe password \(day(status.passwordProvenAt)), backup code \(day(status.codeProvenAt))",
            ].compactMap { $0 }
        }
        return [
            place,
            uploaded(status),
            "last seen   \(day(status.seenAt))",
            "expires     \(status.expiresAt?.day ?? "unknown")",
            "changes     \(status.hasChanges ? "not uploaded yet" : "none")"
                + (status.hasFailed ? "; the last push failed" : ""),
            status.finding.map { "found       the last check \($0.words); the next push checks again" },
            status.newServer.map {
                "unfinished  a change to \($0); the next push tries to finish it, keytool safe move --abort cancels it"
            },
            status.isDeleting
                ? "unfinished  a deletion was interrupted: run keytool safe delete or keytool safe push --resume-deleted"
                : nil,
            status.oldServer.map {
                "left over   an old backup on \($0); every push tries to delete it, keytool safe server --forget-old stops that"
            },
            status.honoursConditions == false
                ? "writes      the server ignores conditions: an upload of another device in the same second can be overwritten"
                : nil,
            "verified    Safe password \(day(status.passwordProvenAt)), backup code \(day(status.codeProvenAt))",
        ].compactMap { $0 }
    }

    private func uploaded(_ status: SafeKeeper.Status) -> String {
        if status.isDeleted { return "uploaded    nothing since the backup was deleted" }
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

    private func json(
        _ id: ThreemaID, _ status: SafeKeeper.Status, _ look: SafeKeeper.Look?, _ pin: PublicKeyPin?
    ) -> JSONValue {
        func timestamp(_ timestamp: Timestamp?) -> JSONValue? { timestamp.map { .string($0.rfc3339) } }
        return .result(
            "safe status",
            [
                ("id", .string(id.text)), ("server", .server(status.server, look?.limits)),
                ("uploaded_at", timestamp(status.uploadedAt)), ("seen_at", timestamp(status.seenAt)),
                ("expires_at", timestamp(status.expiresAt)), ("generation", .number(status.generation)),
                ("changed", .bool(status.hasChanges)), ("failed", .bool(status.hasFailed)),
                ("finding", status.finding.map { .string($0.rawValue) }),
                ("changing", .bool(status.newServer != nil)), ("new_server", status.newServer.map { .string($0) }),
                ("deleting", .bool(status.isDeleting)), ("old_server", status.oldServer.map { .string($0) }),
                ("read_only", .bool(status.isReadOnly)), ("mirrored_at", timestamp(status.mirroredAt)),
                ("last_good_mirror", timestamp(status.lastGoodMirror)),
                ("honours_conditions", status.honoursConditions.map { .bool($0) }),
                ("password_proven_at", timestamp(status.passwordProvenAt)),
                ("code_proven_at", timestamp(status.codeProvenAt)),
                ("remote", look.map { Self.json($0, pin) }),
            ])
    }

    private static func json(_ look: SafeKeeper.Look, _ pin: PublicKeyPin?) -> JSONValue {
        .members([
            ("known", .bool(look.failure == nil)), ("found", .string(look.failure?.word ?? look.goodWord)),
            ("contacts", look.contacts.map { .number($0) }), ("pin", pin.map { .string($0.text) }),
            ("clock_lead_seconds", look.notes.clockLead.map { .number(Int($0.components.seconds)) }),
        ])
    }
}
