import Age
import ArgumentParser
import CommandLine
import Console
import Encodings
import Keystore
import MessengerKeeping
import Primitives
import ThreemaKeeping

struct ArchiveExport: Verb {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write all identities of every messenger to one encrypted file.",
        discussion: """
            The file is a tar archive, encrypted by age: age -d FILE | tar -x unpacks it without keytool, and a text in \
            it explains the files. It contains private keys, profiles and the setups of Safe places. It does not contain \
            histories and the state of uploads, and sessions only with --with-sessions.
            """)

    @OptionGroup var globals: GlobalOptions

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Write to a new file (0600), or - for stdout.", valueName: "file"), completion: .file())
    var output: String

    @Flag(help: "Write also if the file exists; the old one stays as FILE.1, or with the next number that is free.")
    var force = false

    @OptionGroup var recipients: AgeRecipientOptions

    @Flag(
        help: """
            Add the sessions that other programs keep in the keystore. A session that is restored uses keys twice.
            """)
    var withSessions = false

    @OptionGroup var wait: SessionWaitOptions

    @Flag(
        help: """
            Leave out identities with damaged records; only warn, and exit with 65 after the export.
            """)
    var skipDamaged = false

    @Flag(help: "Accept a weak archive passphrase; only warn.")
    var weakOk = false

    @OptionGroup(title: "Archive passphrase (at least 8 characters)")
    var passphrase: SecretOptions<ArchivePassphrase>

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        _ = try recipients.recipients(insteadOf: passphrase)
        // Refuse before asking for a passphrase, not after.
        let target = try DocumentTarget(output, mayReplace: force, keepsOld: true, outside: session.reserved)
        let opened = try session.keystore(keystore.passphrase)
        let keeper = ArchiveKeeper(opened, session.messengers.archived)
        let survey = try session.output.busy("reading the keystore") {
            try keeper.survey(withSessions: withSessions, wait.wait(session, \.text))
        }
        let skipped = try skipped(survey, session)
        for identity in survey.identities where !identity.isKnown {
            session.output.warn(
                "\(identity.owner.text) is in the archive, but this keytool cannot check or import its records")
        }
        warnOfSessions(survey, session)
        let pending = try session.keeper(opened).identities.pendingKeys().count
        if pending > 0 {
            session.output.warn(
                "keys that wait for their registration are not in the archive (\(pending)): keytool id create --resume")
        }
        guard !survey.identities.isEmpty else {
            if let skipped { throw skipped }
            throw KeystoreError.absent(path: try session.keystorePath)
        }
        let protection = try recipients.protection(
            or: passphrase, .for("the new archive"), weak: weakOk ? .accept : .ask, session)
        let isSigned = protection.isPassphrase
        var bytes = 0
        try target.write { file in
            bytes = try write(protection, survey, keeper, to: file, session)
        } finish: {
            guard let path = target.path else { return }
            let kept = target.file?.keptPath
            // On stderr, so that it is said also if the result cannot be written.
            if let kept { session.output.note("the old file is now \(kept)") }
            try session.output.done(
                ["wrote \(Counted.identities(survey.identities.count)) to \(path), \(ByteCount.text(bytes)), verified"],
                json: .result(
                    "archive export",
                    [
                        ("file", .string(path)), ("kept", kept.map { .string($0) }), ("bytes", .number(bytes)),
                        ("verified", .bool(true)),
                        ("protection", .string(isSigned ? "passphrase" : "recipients")),
                        (
                            "identities",
                            .array(survey.identities.map { .members($0.members) })
                        ),
                    ]))
        }
        if target.path == nil {
            session.output.hint(
                "the result was not read again: keytool archive check FILE compares it with the keystore")
        }
        if let skipped { throw skipped }
    }

    private func warnOfSessions(_ survey: ArchiveSurvey, _ session: Session) {
        guard withSessions else { return }
        guard survey.identities.contains(where: { $0.sessions != nil }) else {
            if survey.sessionFailures.isEmpty { session.output.note("no identity has sessions in the keystore") }
            return
        }
        session.output.warn(
            """
            the archive contains sessions: a session that is restored uses keys twice, and anyone who opens the archive \
            can read messages that come later
            """)
    }

    /// Reports what cannot be exported.
    /// - Returns: how the command ends if it exports the others; nil if nothing is damaged.
    /// - Throws: `CommandFailure` unless the others are to be exported.
    private func skipped(_ survey: ArchiveSurvey, _ session: Session) throws -> CommandFailure? {
        let failures = survey.failures + survey.recordFailures.map { ($0.owner, $0.error) } + survey.sessionFailures
        guard let first = failures.first else { return nil }
        let failure = Failure(first.error)
        for (owner, error) in failures.dropFirst(skipDamaged ? 0 : 1) where !session.output.isJSON {
            Failure(error).report(about: owner.text)
        }
        guard skipDamaged else {
            throw CommandFailure(
                failure: failure.advising(
                    survey.failures.isEmpty
                        ? "--skip-damaged exports \(first.owner.text) without its \(survey.recordFailures.first?.record.words ?? "sessions")"
                        : "--skip-damaged exports the other identities"))
        }
        for (owner, _) in survey.failures { session.output.warn("\(owner.text) is not in the archive") }
        for (owner, record, _) in survey.recordFailures {
            session.output.warn(
                "\(owner.text) is in the archive without its \(record.words): after an import it has none")
        }
        for (owner, _) in survey.sessionFailures {
            session.output.warn("the sessions of \(owner.text) are not in the archive")
        }
        return CommandFailure(failure: failure, isReported: !session.output.isJSON)
    }

    /// Encrypts the archive, and reads a file again before it gets its name.
    /// - Returns: how many bytes were written.
    private func write(
        _ protection: borrowing AgeProtection, _ survey: ArchiveSurvey, _ keeper: ArchiveKeeper,
        to file: ResultPieces, _ session: Session
    ) throws -> Int {
        let key = AgeFileKey.random()
        let sink = try ArchiveSink(file, protection, key, session.output)
        let readme = Array(ArchiveReadme.text(of: session.messengers).utf8)
        let digest = try session.output.busy("encrypting the archive", bytes: keeper.count(of: survey, readme)) { add in
            try keeper.export(survey, readme: readme, at: WallClock.now(), wait.wait(session, \.text)) {
                try sink.write($0)
                add($0.count)
            }
            return try sink.finish()
        }
        guard file.isReadable else { return sink.count }
        do {
            let found = try session.output.busy("verifying the archive", bytes: sink.count) { add in
                try read(file, key, add)
            }
            guard found == (digest, sink.count) else { throw AgeError.notReproduced }
        } catch is AgeError {
            throw AgeError.notReproduced
        }
        return sink.count
    }

    /// Decrypts what was written.
    /// - Returns: SHA-256 of the content, and the length of the file.
    private func read(
        _ file: ResultPieces, _ key: borrowing AgeFileKey, _ add: @escaping (Int) -> Void
    ) throws -> (digest: [UInt8], count: Int) {
        var offset = 0
        let written = try AgeFile(.binary) { bytes in
            let count = try file.read(into: &bytes, at: offset) ?? 0
            offset += count
            add(count)
            return count
        }
        var state = SHA256State()
        // Also if the file cannot be read to its end.
        defer { state.wipe() }
        try written.open(writtenWith: key).readToEnd { state.update($0) }
        var digest = [UInt8](repeating: 0, count: SHA256.count)
        state.finish(into: &digest)
        return (digest, offset)
    }
}

extension ArchiveSurvey.Identity {
    /// The members of a result.
    fileprivate var members: [(String, JSONValue?)] {
        let left = leftOut.map(\.text).sorted().map { JSONValue.string($0) }
        return owner.members + sessions.members + [("left_out", left.isEmpty ? nil : .array(left))]
    }
}

/// Encrypts an archive while it is made.
private final class ArchiveSink {
    private var writer: AgeWriter?
    private var digest = SHA256State()
    private let counter: Counter

    // Also if the archive is not finished: the state contains the end of what was encrypted.
    deinit { digest.wipe() }

    private final class Counter { var count = 0 }

    /// Derives a key from a passphrase, which takes a second, and writes the header of the file.
    init(
        _ file: ResultPieces, _ protection: borrowing AgeProtection, _ key: borrowing AgeFileKey, _ output: Output
    ) throws {
        let counter = Counter()
        self.counter = counter
        writer = try protection.writer(key, output) { bytes in
            counter.count += bytes.count
            try file.write(bytes)
        }
    }

    /// Bytes of the encrypted file.
    var count: Int { counter.count }

    func write(_ bytes: Span<UInt8>) throws {
        digest.update(bytes)
        try writer?.write(bytes)
    }

    /// - Returns: SHA-256 of what was encrypted.
    func finish() throws -> [UInt8] {
        if let writer = writer.take() { try writer.finish() }
        var result = [UInt8](repeating: 0, count: SHA256.count)
        digest.finish(into: &result)
        return result
    }
}
