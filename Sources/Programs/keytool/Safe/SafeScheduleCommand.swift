import ArgumentParser
import CommandLine
import Console
import Encodings
import SafeKeeping
import ThreemaKeeping
import SafeWire
import Threema

struct SafeScheduleCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "schedule", abstract: "Print what cron or systemd needs for push, mirror and contact check.",
        discussion: """
            Prints lines for crontab -e; with --systemd, a drop-in for the system unit keytool-safe@.service. Pushes \
            every Safe that is set up, mirrors those that are set up for reading only, and checks the contacts of \
            identities that have a directory. A line for crontab checks every week that the backups open. A source that \
            is given for the keystore passphrase becomes part of the result. Nothing is installed.
            """)

    @OptionGroup var globals: GlobalOptions

    @OptionGroup var named: IdentityArgument

    @Flag(help: "Print a drop-in for systemctl edit instead of lines for crontab -e.")
    var systemd = false

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        let keeper = try session.keeper(keystore.passphrase)
        let schedule = try schedule(session, keeper)
        let output = session.output
        guard systemd else {
            let lines = try Crontab(schedule).lines
            return try output.data(
                toCopy: lines, json: json("cron", [("lines", .array(lines.map { .string($0) }))]))
        }
        let dropIn = try DropIn(schedule)
        let lines = dropIn.lines ?? ["# \(dropIn.instance).service needs no change"]
        try output.data(
            toCopy: lines,
            json: json(
                "systemd",
                [
                    ("unit", .string(dropIn.instance + ".service")),
                    ("lines", .array((dropIn.lines ?? []).map { .string($0) })),
                ]))
        if dropIn.lines != nil {
            output.hint("paste this into: systemctl edit \(dropIn.instance).service")
        }
        output.hint("then: systemctl enable --now \(dropIn.instance).timer")
        if keeper.isProtected, schedule.passphrase == .credential {
            output.hint("the passphrase is the credential keytool.passphrase.\(schedule.account); see man keytool-cron")
        }
        if DropIn.isHidden(schedule.program) { output.warn("the service cannot see \(schedule.program)") }
    }

    private func schedule(_ session: Session, _ keeper: ThreemaKeeper) throws -> SafeSchedule {
        guard let account = Account.own else {
            throw UsageFailure("the user database has no account with this number")
        }
        let ids = try named.id.map { [$0] } ?? keeper.identities.ids()
        var works: Set<SafeSchedule.Work> = []
        var directories: [SafeSchedule.Access: [String]] = [:]
        for place in try keeper.safe.places(of: ids) {
            let isReadOnly = try keeper.safe.isReadOnly(place)
            works.insert(isReadOnly ? .mirror : .push)
            if case .directory(let path) = try keeper.safe.server(of: place).address {
                directories[isReadOnly ? .reading : .writing, default: []].append(path)
            }
        }
        if try ids.contains(where: keeper.hasDirectory) { works.insert(.check) }
        guard !works.isEmpty else {
            if let id = named.id { throw SafeKeepingError.noSetup(id: id.text) }
            throw Failure.noSafe
        }
        return SafeSchedule(
            account: account.name, home: account.home, program: AbsolutePath.ofProgram ?? "keytool",
            keystore: AbsolutePath.of(try session.keystorePath),
            passphrase: keeper.isProtected ? try passphrase : .notNeeded, identity: named.id?.text,
            works: [.push, .mirror, .check].filter(works.contains), directories: directories)
    }

    private var passphrase: SafeSchedule.Passphrase {
        get throws {
            guard let source = try keystore.passphrase.source() else { return .credential }
            switch source {
            case .file(let path) where !source.isStandardInput && FileStatus(path)?.isPlainFile == true:
                return .file(AbsolutePath.of(path))
            // One of the environment is for this terminal: the service sees no home, /tmp or /run/user.
            case .command where systemd && !keystore.passphrase.isGiven: return .credential
            case .command(let command): return .command(command)
            case .file, .descriptor, .credential: return .credential
            }
        }
    }

    private func json(_ form: String, _ members: [(String, JSONValue?)]) -> JSONValue {
        .result("safe schedule", [("id", named.id.map { .string($0.text) }), ("form", .string(form))] + members)
    }
}
