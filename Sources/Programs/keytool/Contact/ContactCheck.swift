import ArgumentParser
import CommandLine
import Console
import Encodings
import Keystore
import Threema
import ThreemaDirectory
import ThreemaKeeping

struct ContactCheck: Verb {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Ask the directory whether contacts were revoked, or have another key there.",
        discussion: """
            For cron. Asks for the contacts of the identity and for the identity itself, and stores the answers beside \
            the profile: keytool contact list shows them. Fails (19) if the directory has another key than the profile, \
            or if the identity itself was revoked. Fails (10) as long as a revoked contact is neither removed nor \
            acknowledged with --seen. With --quiet, only changes are printed.
            """)

    @OptionGroup var globals: GlobalOptions

    @Argument(
        help: ArgumentHelp("The contacts to ask for. All of them by default.", valueName: "contact"),
        completion: .list([]))
    var contacts: [ThreemaID] = []

    @Option(
        help: ArgumentHelp(
            "Acknowledge that this contact was revoked; may be repeated. Asks nobody.", valueName: "contact"),
        completion: .list([]))
    var seen: [ThreemaID] = []

    @Flag(help: "Do it for every identity that has a directory.")
    var all = false

    @OptionGroup var named: IdentityOption

    @OptionGroup(title: "Directory")
    var directory: DirectoryOptions

    @OptionGroup var keystore: KeystoreOptions

    @OptionGroup var unattended: UnattendedOptions

    func validate() throws {
        guard !all || named.identity == nil else { throw ValidationError("--all and --identity cannot be combined") }
        guard !all || contacts.isEmpty && seen.isEmpty else {
            throw ValidationError("--all cannot be combined with contacts")
        }
        guard contacts.isEmpty || seen.isEmpty else {
            throw ValidationError("contacts to ask for and --seen cannot be combined")
        }
    }

    func run(_ session: Session) throws {
        guard seen.isEmpty else { return try acknowledge(session) }
        if let jitter = unattended.jitter {
            Sleep.random(below: jitter.duration, before: "the check", session.output)
        }
        try unattended.monitoring.monitored(.contacts, outside: session.reserved, session.output) { report in
            try run(session, &report)
        }
    }

    private var lockWait: Duration { unattended.lockWait?.duration ?? LockedIdentity.usualWait }

    private func acknowledge(_ session: Session) throws {
        let (keeper, id) = try session.open(named.identity, keystore)
        try keeper.naming(id) { try keeper.contacts.acknowledge(seen, of: id, lockWait: lockWait) }
        try session.output.done(
            seen.map { "\($0) was revoked, and that is acknowledged" },
            json: .result(
                "contact check",
                [("id", .string(id.text)), ("acknowledged", .array(seen.map { .string($0.text) }))]))
    }

    private func run(_ session: Session, _ report: inout RunReport) throws {
        let keeper = try session.keeper(keystore.passphrase)
        let work = session.directory(of: keeper, directory)
        let output = session.output
        guard all else {
            let id = try session.identity(named.identity, in: keeper)
            let (result, failure) = check(id, keeper, work, output, &report)
            return try output.finish(failure, isReported: false) { try result?.print(failure, output) }
        }
        var results: [JSONValue] = []
        var worst: Failure?
        var unprinted: (any Error)?
        for id in try identities(keeper, output) {
            let (result, failure) = check(id, keeper, work, output, &report)
            if output.isJSON {
                let unasked = failure.map { JSONValue.members([("id", .string(id.text)), ("error", $0.json)]) }
                results += [result?.json(failure) ?? unasked].compactMap { $0 }
            } else {
                // The others are as important as before.
                do { try result?.printLabelled(output) } catch { unprinted = unprinted ?? error }
                failure?.report(about: id.text)
            }
            worst = failure.map { Self.worse(worst, $0) } ?? worst
        }
        try output.finish(worst, isReported: true) {
            if output.isJSON { try output.data([], json: .result("contact check", [("results", .array(results))])) }
            if let unprinted { throw unprinted }
        }
    }

    /// The failure that decides the exit code: a wrong key before anything else.
    private static func worse(_ first: Failure?, _ second: Failure) -> Failure {
        second.status == .verifyFailed && first?.status != .verifyFailed ? second : Failure.worse(first, second)
    }

    /// Those that have a directory. One that is damaged counts: its check says what is wrong.
    private func identities(_ keeper: ThreemaKeeper, _ output: Output) throws -> [ThreemaID] {
        let ids = try keeper.identities.ids()
        guard try !directory.isNamed else { return ids }
        let asked = ids.filter { (try? keeper.hasDirectory($0)) ?? true }
        guard !asked.isEmpty else { throw DirectoryOptions.noDirectory }
        for id in ids where !asked.contains(id) { output.note("\(id) has no directory, and is not checked") }
        return asked
    }

    /// Checks the contacts of one identity. If the directory is not available, what is known from earlier checks decides.
    private func check(
        _ id: ThreemaID, _ keeper: ThreemaKeeper, _ work: DirectoryKeeper, _ output: Output, _ report: inout RunReport
    ) -> (result: ContactReport?, failure: Failure?) {
        var result: ContactReport?
        var failure: Failure?
        do {
            let server = try directory.server(of: id, work)
            let only = contacts.isEmpty ? nil : contacts
            let checked = try output.busy("asking the directory") {
                try work.checkContacts(only, of: id, at: server, now: WallClock.now(), lockWait: lockWait)
            }
            let names = try ContactReport.names(in: keeper.profiles.document(of: id))
            result = ContactReport(id, server.url, checked, names, command: keeper.option(naming: id))
            failure = result?.failure
            if let storing = checked.storing {
                let unstored = "the answers of the directory could not be stored"
                if failure != nil { output.warn("\(unstored): \(Failure(storing).message)") }
                failure = failure ?? Failure(storing).advising(Hint(unstored))
            }
            report.enter(checked.findings)
        } catch {
            failure = Failure(error)
            // What was found stays a failure while the directory is away.
            if error is DirectoryKeepingError, let known = known(of: id, keeper, &report) {
                if let failure, !isTolerated(failure, id, keeper) { output.warn("not asked again: \(failure.message)") }
                failure = known
            }
        }
        if let failure { report.failure = Self.worse(report.failure, failure) }
        return (result, failure.flatMap { isTolerated($0, id, keeper) ? nil : $0 })
    }

    /// What earlier checks have found.
    private func known(of id: ThreemaID, _ keeper: ThreemaKeeper, _ report: inout RunReport) -> Failure? {
        guard let findings = try? keeper.contacts.findings(of: id).about(contacts.isEmpty ? nil : Set(contacts)) else {
            return nil
        }
        report.enter(findings)
        return ContactReport.failure(of: findings, id, "the directory", command: keeper.option(naming: id))
    }

    private func isTolerated(_ failure: Failure, _ id: ThreemaID, _ keeper: ThreemaKeeper) -> Bool {
        guard failure.isTemporary, let tolerate = unattended.tolerate,
            let last = try? keeper.contacts.states(of: id).allAskedAt
        else { return false }
        let age = WallClock.now() - last
        return age >= .zero && age <= tolerate.duration
    }
}
