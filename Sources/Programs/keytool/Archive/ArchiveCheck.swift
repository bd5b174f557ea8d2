import ArgumentParser
import CommandLine
import Console
import Keystore
import MessengerKeeping

struct ArchiveCheck: Verb {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Open an archive and compare it with the keystore.",
        discussion: "Changes nothing. Ends with 19 if an identity differs, or is only in one of the two.")

    @OptionGroup var globals: GlobalOptions
    @OptionGroup var file: ArchiveFileOptions
    @OptionGroup var keystore: KeystoreOptions

    @OptionGroup(title: "Monitoring")
    var monitoring: MonitoringOptions

    func run(_ session: Session) throws {
        try monitoring.monitored(.archiveCheck, outside: session.reserved, session.output) { _ in try check(session) }
    }

    private func check(_ session: Session) throws {
        let opened = try file.open(session)
        let keeper = ArchiveKeeper(try present(session), session.messengers.archived)
        var report = ArchiveReport()
        var hasSessions = false
        var (lacking, differing): ([Owner], [Owner]) = ([], [])
        for records in opened.archive.identities {
            do {
                let sessions = try opened.archive.sessions(of: records.owner)?.facts
                hasSessions = hasSessions || sessions != nil
                _ = try session.messengers.archived.check(records)
                switch try keeper.compare(records) {
                case .same: report.add(records.owner, "same", "same", sessions: sessions)
                case .missing:
                    lacking.append(records.owner)
                    report.add(
                        records.owner, "missing", "not in the keystore:", [], lack, sessions: sessions)
                case .differs(let differences):
                    differing.append(records.owner)
                    report.add(
                        records.owner, "differs", "differs", differences, Self.difference, sessions: sessions)
                }
            } catch {
                report.fail(records.owner, error, session)
            }
        }
        for owner in try keeper.owners(notIn: opened.archive) {
            differing.append(owner)
            report.add(owner, "not_archived", "not in the archive:", [], Self.difference)
        }
        if hasSessions {
            session.output.note(
                "the archive contains sessions: they are not compared, because each message changes them")
        }
        let isDifference = report.firstFailure?.status == .verifyFailed
        var failure = isDifference && !lacking.isEmpty ? lack : report.firstFailure
        if let found = failure, isDifference, session.output.isQuiet, !session.output.isJSON {
            // Their lines are not printed.
            let names = (lacking + differing).map(\.text).joined(separator: ", ")
            failure = Failure(found.status, "\(found.message): \(names)", hints: found.hints)
        }
        try session.output.finish(failure, isReported: !isDifference) {
            try report.finish("archive check", opened, session)
        }
    }

    /// - Throws: `Failure` if there is no keystore.
    private func present(_ session: Session) throws -> OpenKeystore {
        if let keystore = try session.madeKeystore(keystore.passphrase) { return keystore }
        let path = try session.keystorePath
        throw Failure(
            .absent, "the archive opens, but there is no keystore in \(path) to compare it with",
            hints: "keytool archive list checks an archive without a keystore",
            "keytool archive import adds its identities to a new keystore"
        ).because(of: "no_identity")
    }

    private static func differ(_ hint: Hint) -> Failure {
        Failure(.verifyFailed, "the archive and the keystore differ", hints: hint).because(of: "archive_differs")
    }

    private static var difference: Failure { differ("keytool archive export -o FILE writes a new one") }

    /// An archive that is written now would lack it, too.
    private var lack: Failure {
        Self.differ(
            "keytool archive import \(file.file == "-" ? "FILE" : ShellWord.path(file.file)) adds what the keystore lacks"
        )
    }
}
