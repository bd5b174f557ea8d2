import ArgumentParser
import Encodings
import SafeKeeping
import SafeWire
import Threema

struct SafePush: Verb {
    static let configuration = CommandConfiguration(
        commandName: "push", abstract: "Upload the Safe backup if it is due.",
        discussion: """
            Made for cron: needs no password. Uploads what changed, at most once in 23 hours, and again \
            when half of the server's retention is over; looks at least once a week whether the backup \
            is still there. Never overwrites what another device has written.
            """)

    @ParentCommand var noun: SafeCommand
    @OptionGroup var globals: GlobalOptions

    @Argument(help: "The identity; may be left out where there is only one.")
    var id: ThreemaID?

    @Flag(help: "Upload even if nothing is due.")
    var force = false

    @Flag(help: "Replace what another device has written.")
    var overwrite = false

    @Flag(help: "Do not fetch what was uploaded to compare it.")
    var noVerify = false

    @Option(help: ArgumentHelp("Wait so long for another keytool at work (default 1m).", valueName: "duration"))
    var lockWait: TimeSpan?

    func run(_ session: Session) throws {
        let keeper = try session.keeper()
        let id = try session.identity(id, in: keeper)
        var options = SafeKeeper.PushOptions()
        options.isForced = force
        options.isOverwriting = overwrite
        options.isVerifying = !noVerify
        if let lockWait { options.lockWait = lockWait.duration }
        let result = try keeper.push(id, options)
        if result.upload?.hasReplacedDamaged == true {
            session.output.warn("what stood on the server did not decrypt and was overwritten")
        }
        try session.output.done([line(result)], json: json(id, result))
    }

    private func line(_ result: SafeKeeper.PushResult) -> String {
        let kept = result.expiresAt.map { ", kept until \($0.day)" } ?? ""
        guard let upload = result.upload else {
            return switch result.outcome {
            case .deferred(let moment):
                "deferred: changed, but the last upload is under 23 hours old; due \(moment.rfc3339)"
            default: "\(result.outcome.word) on \(result.server)\(kept)"
            }
        }
        return "\(result.outcome.word) \(ByteCount.text(upload.bytes)) to \(result.server)"
            + (upload.isVerified ? ", verified" : "") + kept
    }

    private func json(_ id: ThreemaID, _ result: SafeKeeper.PushResult) -> JSONValue {
        let backup: [(String, JSONValue?)] = [
            ("bytes", result.upload.map { .number($0.bytes) }),
            ("verified", result.upload.map { .bool($0.isVerified) }),
            ("generation", result.upload.map { .number($0.generation) }),
            ("uploaded_at", result.uploadedAt.map { .string($0.rfc3339) }),
            ("expires_at", result.expiresAt.map { .string($0.rfc3339) }),
        ]
        var next = result.refreshAfter.map { moment -> JSONValue in ["refresh_after": .string(moment.rfc3339)] }
        if case .deferred(let moment) = result.outcome { next = ["upload_after": .string(moment.rfc3339)] }
        return .result(
            "safe push",
            [
                ("id", .string(id.text)), ("result", .string(result.outcome.word)),
                ("server", .server(result.server, result.upload?.limits)),
                (
                    "backup",
                    .object(backup.compactMap { name, value in value.map { JSONValue.Member(name, $0) } })
                ),
                ("next", next), ("attempts", result.upload == nil ? 0 : 1),
            ])
    }
}

extension SafeKeeper.PushResult.Outcome {
    fileprivate var word: String {
        switch self {
        case .uploaded: "uploaded"
        case .refreshed: "refreshed"
        case .restored: "restored"
        case .confirmed: "confirmed"
        case .unchanged: "unchanged"
        case .deferred: "deferred"
        }
    }
}

extension JSONValue {
    /// What the results of Safe commands say of a server.
    static func server(_ address: String, _ limits: ServerLimits?) -> JSONValue {
        let members: [(String, JSONValue?)] = [
            // A folder is on this machine, as far as anybody can tell.
            ("host", "localhost"), ("address", .string(address)),
            ("max_backup_bytes", limits.map { .number($0.maxBackupBytes) }),
            ("retention_days", limits.map { .number($0.retentionDays) }),
        ]
        return .object(members.compactMap { name, value in value.map { JSONValue.Member(name, $0) } })
    }
}
