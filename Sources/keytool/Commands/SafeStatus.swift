import ArgumentParser
import Encodings
import SafeKeeping
import SafeWire
import Threema

struct SafeStatus: Verb {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Say how old the Safe backup is. Asks no server, but for --remote.")

    @ParentCommand var noun: SafeCommand
    @OptionGroup var globals: GlobalOptions

    @Argument(help: "The identity; may be left out where there is only one.")
    var id: ThreemaID?

    @Option(
        help: ArgumentHelp(
            "Fail (18) where the backup was not known to be on the server within this time.", valueName: "duration"))
    var maxAge: TimeSpan?

    @Flag(help: "Ask the server, too: what it holds, what it allows, and which public key it shows.")
    var remote = false

    @OptionGroup(title: "Keystore passphrase")
    var passphrase: SecretOptions<KeystorePassphrase>

    @OptionGroup var waiting: PatienceOptions

    func run(_ session: Session) throws {
        let keeper = try session.keeper(passphrase, waiting.patience)
        let id = try session.identity(id, in: keeper)
        let status = try keeper.status(of: id)
        let answer = remote ? try session.output.busy("asking the server") { try keeper.askServer(of: id) } : nil
        try session.output.data(
            lines(id, status) + (answer.map(lines) ?? []), json: json(id, status, answer))
        if let difference = ClockDifference(lead: answer?.clockLead) { session.output.warn(difference.warning) }
        guard let maxAge else { return }
        let age = status.lastSuccess.map { Session.now() - $0 }
        guard let age, age <= maxAge.duration else {
            throw CommandFailure(
                failure: Failure(
                    .overdue,
                    status.lastSuccess.map { "the backup was last known to be on the server on \($0.day)" }
                        ?? "the backup was never known to be on the server"))
        }
    }

    private func lines(_ id: ThreemaID, _ status: SafeKeeper.Status) -> [String] {
        func day(_ moment: Timestamp?) -> String { moment?.rfc3339 ?? "never" }
        return [
            "safe        \(id) on \(status.server.text)",
            "uploaded    \(day(status.uploadedAt))" + (status.generation > 0 ? ", no. \(status.generation)" : ""),
            "last seen   \(day(status.seenAt))",
            "kept until  \(status.expiresAt?.day ?? "unknown")",
            "changes     \(status.hasChanges ? "not uploaded yet" : "none")"
                + (status.hasFailed ? "; the last push failed" : ""),
            status.isChanging ? "unfinished  a change; the next push finishes it" : nil,
            status.isDeleting ? "unfinished  a deletion; the next push or delete finishes it" : nil,
            status.oldServer.map { "left over   an old backup on \($0); every push tries to delete it" },
            "rehearsed   Safe password \(day(status.passwordProvenAt)), backup code \(day(status.codeProvenAt))",
        ].compactMap { $0 }
    }

    private func lines(_ answer: SafeKeeper.RemoteStatus) -> [String] {
        let backup = answer.bytes.map {
            ByteCount.text($0) + (answer.isKnown ? ", as last seen" : ", not the one last seen")
        }
        return [
            "there now   \(backup ?? "nothing")",
            "allowed     \(ByteCount.text(answer.limits.maxBackupBytes)), kept \(answer.limits.retentionDays) days",
            answer.pin.map { "public key  \($0.text)" },
        ].compactMap { $0 }
    }

    private func json(
        _ id: ThreemaID, _ status: SafeKeeper.Status, _ answer: SafeKeeper.RemoteStatus?
    ) -> JSONValue {
        func moment(_ moment: Timestamp?) -> JSONValue? { moment.map { .string($0.rfc3339) } }
        return .result(
            "safe status",
            [
                ("id", .string(id.text)), ("server", .server(status.server, answer?.limits)),
                ("uploaded_at", moment(status.uploadedAt)), ("seen_at", moment(status.seenAt)),
                ("expires_at", moment(status.expiresAt)), ("generation", .number(status.generation)),
                ("changed", .bool(status.hasChanges)), ("failed", .bool(status.hasFailed)),
                ("changing", .bool(status.isChanging)), ("deleting", .bool(status.isDeleting)),
                ("old_server", status.oldServer.map { .string($0) }),
                ("password_proven_at", moment(status.passwordProvenAt)),
                ("code_proven_at", moment(status.codeProvenAt)),
                ("remote", answer.map(Self.json)),
            ])
    }

    private static func json(_ answer: SafeKeeper.RemoteStatus) -> JSONValue {
        .members([
            ("bytes", answer.bytes.map { .number($0) }), ("known", .bool(answer.isKnown)),
            ("pin", answer.pin.map { .string($0.text) }),
            ("clock_lead_seconds", answer.clockLead.map { .number(Int($0.components.seconds)) }),
        ])
    }
}
