import ArgumentParser
import CommandLine
import Console
import Encodings
import Keystore
import MessengerKeeping
import SessionStore
import Threema
import ThreemaKeeping
import ThreemaRecords

struct ArchiveImport: Verb {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Add the identities of an archive to the keystore.",
        discussion: """
            An identity that is already in the keystore is not changed: if it differs, the command says what differs and \
            ends with 17. Backups on Safe servers count as unknown until the next push has looked at them. Sessions of \
            the archive are stored with identities that are added.
            """)

    @OptionGroup var globals: GlobalOptions
    @OptionGroup var file: ArchiveFileOptions

    @Option(
        name: .customLong("replace"),
        help: ArgumentHelp(
            "Replace this identity in the keystore by that of the archive, with all of its records; repeatable.",
            valueName: "messenger/id"))
    var replaced: [IdentityName] = []

    @Flag(help: "Leave out the sessions of all identities.")
    var withoutSessions = false

    @OptionGroup var keystore: NewKeystoreOptions

    func run(_ session: Session) throws {
        let opened = try file.open(session)
        let identities = opened.archive.identities
        let owners = Set(identities.map(\.owner))
        for argument in replaced where !owners.contains(argument.owner) {
            throw Failure(
                .absent, "the archive does not contain \(argument.owner.text)",
                hints: "keytool archive list shows what it contains"
            ).because(of: "no_identity")
        }
        try requireOneUsable(opened.archive, session)
        let store = try session.newKeystore(keystore)
        let keeper = ArchiveKeeper(store, session.messengers.archived)
        let replaced = Set(replaced.map(\.owner))
        var report = ArchiveReport()
        var isChanged = false
        // Provisioning files come first.
        var refusedFiles: Set<OnPremName> = []
        for records in identities {
            do {
                let isReplaced = replaced.contains(records.owner)
                try requireOwnCompany(records, refusedFiles, in: store, isReplaced: isReplaced, session)
                let sessions = try sessions(of: records.owner, in: opened.archive)
                let keeping = session.keeper(store)
                let before = isReplaced ? held(records.owner, keeping) : nil
                let decision = try keeper.store(records, sessions: sessions, mayReplace: isReplaced)
                if sessions != nil { warnOfSessions(of: records.owner, decision, opened.archive.time, session) }
                if case .replace = decision {
                    if let takenBack = session.messengers.takenBack(with: records.owner) {
                        session.output.warn(
                            "\(records.owner.text) is as it was at \(opened.archive.time.rfc3339): \(takenBack)")
                    }
                    let after = held(records.owner, keeping)
                    warn(of: records.owner, before, after, session)
                }
                isChanged = isChanged || decision != .nothing
                report.add(
                    records.owner, decision.result, decision.words, decision.differences,
                    sessions: decision == .add ? sessions?.facts : nil)
            } catch {
                if let file = records.owner.onPrem, session.keeper(store).onPrem.holdsAnotherCompany(than: records) {
                    refusedFiles.insert(file)
                }
                report.fail(records.owner, error, session)
            }
        }
        try session.output.finish(report.firstFailure, isReported: true) {
            try report.finish("archive import", opened, session)
            if isChanged && !keystore.noPassphrase { session.noteProtection(isProtected: store.isProtected) }
        }
    }

    /// Refuses an identity whose provisioning file was refused: its requests would go to another company, with the
    /// login of that.
    private func requireOwnCompany(
        _ records: RecordSet, _ refused: Set<OnPremName>, in store: OpenKeystore, isReplaced: Bool, _ session: Session
    ) throws {
        guard let file = records.namedProvisioningFiles.first(where: refused.contains),
            try isReplaced || !store.identities().contains(records.owner)
        else { return }
        let users = try session.keeper(store).users(of: file).filter { $0 != records.owner.id }
        let others = users.isEmpty ? "" : ", also for \(users.joined(separator: " "))"
        throw Failure(
            .exists,
            "another key signs the file \(file) in the keystore than that in the archive: it is of another company, or "
                + "the company has a new key; nothing was stored",
            hints: "a keystore of its own takes it: --keystore DIR",
            "--replace \(Owner.onPrem(file).text) takes the file of the archive\(others)"
        ).because(of: "other_company")
    }

    private func warnOfSessions(
        of owner: Owner, _ decision: ImportDecision, _ time: Timestamp, _ session: Session
    ) {
        guard decision == .add else {
            session.output.warn(
                "the sessions of \(owner.text) are not imported: the identity is already in the keystore")
            return
        }
        session.output.warn(
            """
            the sessions of \(owner.text) are of \(time.rfc3339): going on with them uses keys twice; they count as a \
            copy, so programs have to end them first
            """)
    }

    private typealias Held = (safes: IdentityKeeper.RemovalProspect?, publicKey: PublicKey?)

    /// What the keystore has of an identity: where its Safe backups are, and its public key.
    private func held(_ owner: Owner, _ keeper: ThreemaKeeper) -> Held? {
        guard let id = owner.threemaID else { return nil }
        return (
            try? keeper.identities.prospect(ofRemoving: id), try? keeper.identities.summary(id).publicKey
        )
    }

    /// Warns of what a replaced identity had, and has no more.
    private func warn(of owner: Owner, _ before: Held?, _ after: Held?, _ session: Session) {
        let servers = after?.safes?.safeServers ?? []
        let left = (before?.safes?.safeServers ?? []).filter { !servers.contains($0) }
        for server in left {
            session.output.warn("the Safe backup of \(owner.id) stays on \(server), which is not set up any more")
        }
        let backups = after?.safes?.safeBackups ?? [:]
        for (place, backup) in (before?.safes?.safeBackups ?? [:]).sorted(by: { $0.key < $1.key })
        where backups[place] != backup {
            guard backups[place] != nil else {
                // Its server is named above, if no other place has it.
                guard left.isEmpty else { continue }
                session.output.warn(
                    "the Safe place \"\(place)\" of \(owner.id) is not set up any more; its backup stays on its server")
                continue
            }
            session.output.warn(
                "the Safe place \"\(place)\" of \(owner.id) has the Safe password of the archive now; the backup under the one "
                    + "before stays on its server, and is not updated any more")
        }
        if let key = before?.publicKey, key != after?.publicKey { session.output.warnOfReplaced(key) }
        if !servers.isEmpty {
            session.output.hint("keytool safe status --remote \(owner.id) shows what the servers hold")
        }
    }

    /// A keystore is not created for nothing.
    private func requireOneUsable(_ archive: Archive, _ session: Session) throws {
        var first: (any Error)?
        for records in archive.identities {
            do {
                _ = try session.messengers.archived.check(records)
                _ = try sessions(of: records.owner, in: archive)
                return
            } catch {
                first = first ?? error
            }
        }
        if case ArchiveError.sessions(let owner, let error)? = first {
            throw Failure(ArchiveError.sessions(owner, error)).about(owner)
        }
        if let first { throw first }
    }

    /// - Throws: `ArchiveError.sessions`.
    private func sessions(of owner: Owner, in archive: Archive) throws(ArchiveError) -> ExportedValues? {
        withoutSessions ? nil : try archive.sessions(of: owner)
    }
}

extension ImportDecision {
    fileprivate var result: String {
        switch self {
        case .add: "added"
        case .nothing: "unchanged"
        case .replace: "replaced"
        case .refuse: "refused"
        }
    }

    fileprivate var words: String {
        switch self {
        case .add, .refuse: result
        case .nothing: "already in the keystore, with the same records:"
        case .replace: "replaced"
        }
    }

    fileprivate var differences: [RecordDifference] {
        switch self {
        case .add, .nothing: []
        case .replace(let differences), .refuse(let differences): differences
        }
    }
}

/// What a command has to say of the identities of an archive, one after the other.
struct ArchiveReport {
    private var lines: [String] = []
    private var results: [JSONValue] = []
    private(set) var firstFailure: Failure?

    /// - Parameter words: before the identity's name.
    mutating func add(
        _ owner: Owner, _ result: String, _ words: String, _ differences: [RecordDifference] = [],
        _ failure: Failure? = nil, sessions: SessionFacts? = nil
    ) {
        lines.append(
            "\(words) \(owner.text)" + (sessions.map { " with \($0.words)" } ?? "")
                + (differences.isEmpty ? "" : ": \(differences.words)"))
        results.append(
            .members(
                owner.members + [("result", .string(result)), ("differences", differences.json)] + sessions.members
                    + [("error", failure.map(\.json))]))
        firstFailure = firstFailure ?? failure
    }

    /// Reports an error at once, unless the output is JSON.
    mutating func fail(_ owner: Owner, _ error: any Error, _ session: Session) {
        let failure = Failure(error)
        if !session.output.isJSON { failure.report(about: owner.text, isVerbose: session.output.isVerbose) }
        var differences: [RecordDifference] = []
        if case ArchiveRefusal.held(_, let found) = error { differences = found }
        results.append(
            .members(
                owner.members + [
                    ("result", .string("refused")), ("differences", differences.json), ("error", failure.json),
                ]))
        firstFailure = firstFailure ?? failure
    }

    /// Prints everything.
    /// - Parameter isData: whether the results are printed even when quiet.
    func finish(_ command: String, _ opened: OpenedArchive, isData: Bool = false, _ session: Session) throws {
        try session.output.result(
            lines.map(StyledLine.init), json: .result(command, opened.members + [("results", .array(results))]),
            isData: isData)
    }
}
