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

    @Option(
        help: ArgumentHelp(
            """
            Encrypt for a new key, instead of under a passphrase, and share the key among people: how many shares are \
            needed, and how many are made, 2/2 to 16/16.
            """, valueName: "m/n"))
    var shares: ShareNumbers?

    @OptionGroup var places: NewShareOptions

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

    func validate() throws {
        guard shares != nil else {
            guard !places.isGiven else {
                throw ValidationError("--sheet, --language and --reveal-shares need --shares")
            }
            return
        }
        try places.requireOne()
        guard recipients.texts.isEmpty, !passphrase.isGiven else {
            throw ValidationError(
                "--shares cannot be combined with --recipient or an archive passphrase: the file has a new key")
        }
        // What was shared for the old file would not open the new one.
        guard !force else { throw ValidationError("--shares cannot be combined with --force: name a new file") }
        guard output != "-" || !places.revealShares else {
            throw ValidationError("stdout can be used for only one thing: the archive or the shares")
        }
    }

    func run(_ session: Session) throws {
        let isForRecipients = try !recipients.recipients(insteadOf: passphrase).isEmpty
        // Refuse before asking for a passphrase, not after.
        let target = try target(session)
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
                "keys that wait for their registration are not in the archive (\(pending)): keytool id list shows them")
        }
        guard !survey.identities.isEmpty else {
            if let skipped { throw skipped }
            throw KeystoreError.absent(path: try session.keystorePath)
        }
        if let shares {
            try places.withFiles(shares.count, named: "archive", outside: session.reserved) { files in
                try requireDistinct(target, files ?? [])
                let shared = try session.output.busy("sharing a new key") {
                    try ArchiveShares(shares, files, isRevealed: places.revealShares)
                }
                let protection = shared.protection
                try shared.writePages(of: target.path, in: places.language.chosen) {
                    try write(protection, shared, survey, keeper, to: target, session)
                }
                shared.advise(on: target.path, session.output)
            }
        } else {
            let protection = try recipients.protection(
                or: passphrase, .for("the new archive"), weak: weakOk ? .accept : .ask, session)
            try write(protection, nil, survey, keeper, to: target, session)
        }
        if target.path == nil {
            let opening = shares != nil ? " --shares" : isForRecipients ? " --identity AGEKEYFILE" : ""
            session.output.hint(
                "the result was not read again: keytool archive check FILE\(opening) compares it with the keystore")
        }
        if let skipped { throw skipped }
    }

    /// - Throws: `UsageFailure` if the archive has the path of a page, or of their directory, however it is spelled.
    private func requireDistinct(_ target: DocumentTarget, _ pages: [ResultFile]) throws {
        guard let file = target.file else { return }
        // Nothing was there before the directory was made.
        guard FileStatus(file.path)?.isDirectory != true else {
            throw UsageFailure("--output and --sheet are the same path", hint: "--sheet names a directory of its own")
        }
        try ResultFile.requireDistinct([file] + pages)
    }

    private func target(_ session: Session) throws -> DocumentTarget {
        do {
            return try DocumentTarget(output, mayReplace: force, old: .kept, outside: session.reserved)
        } catch ResultFileError.exists(let path) where shares != nil {
            throw Failure(.exists, "\(path) already exists", hints: "name a new file")
        }
    }

    /// Writes the archive and says so.
    /// - Parameter shared: its key, if people share it. Their words are printed before the file gets its name.
    private func write(
        _ protection: borrowing AgeProtection, _ shared: ArchiveShares?, _ survey: ArchiveSurvey,
        _ keeper: ArchiveKeeper,
        to target: DocumentTarget, _ session: Session
    ) throws {
        let isSigned = protection.isPassphrase
        var bytes = 0
        func json(_ members: [(String, JSONValue?)] = []) -> JSONValue {
            .result(
                "archive export",
                [
                    ("file", target.path.map { .string($0) }),
                    ("kept", target.file?.keptPath.map { .string($0) }), ("bytes", .number(bytes)),
                    ("verified", .bool(true)),
                    ("protection", .string(isSigned ? "passphrase" : shared == nil ? "recipients" : "shares")),
                ] + (shared?.members ?? []) + members + [
                    ("identities", .array(survey.identities.map { .members($0.members) }))
                ])
        }
        try target.write { file in
            bytes = try write(protection, shared?.key, survey, keeper, to: file, session)
            if let shared, shared.new.isRevealed { try shared.new.show([], session.output, json: json) }
        } finish: {
            guard let path = target.path else {
                shared?.new.wrote.forEach { session.output.note($0) }
                return
            }
            let kept = target.file?.keptPath
            // On stderr, so that it is said also if the result cannot be written.
            if let kept { session.output.note("the old file is now \(kept)") }
            let line =
                "wrote \(Counted.identities(survey.identities.count)) to \(path), \(ByteCount.text(bytes)), verified"
            guard let shared else { return try session.output.done([line], json: json()) }
            if shared.new.isRevealed {
                session.output.note(line)
            } else {
                try shared.new.show([line], session.output, json: json)
            }
        }
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
    /// - Throws: `Failure` unless the others are to be exported.
    private func skipped(_ survey: ArchiveSurvey, _ session: Session) throws -> CommandFailure? {
        let failures = survey.failures + survey.recordFailures.map { ($0.owner, $0.error) } + survey.sessionFailures
        guard let first = failures.first else { return nil }
        let failure = Failure(first.error)
        for (owner, error) in failures.dropFirst(skipDamaged ? 0 : 1) where !session.output.isJSON {
            Failure(error).report(about: owner.text)
        }
        guard skipDamaged else {
            throw failure.advising(
                survey.failures.isEmpty
                    ? "--skip-damaged exports \(first.owner.text) without its \(survey.recordFailures.first?.record.words ?? "sessions")"
                    : "--skip-damaged exports the other identities")
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
    /// - Parameter identity: what has to open the file; nil if nobody here has it.
    /// - Returns: how many bytes were written.
    private func write(
        _ protection: borrowing AgeProtection, _ identity: HeldAgeIdentity?, _ survey: ArchiveSurvey,
        _ keeper: ArchiveKeeper, to file: ResultPieces, _ session: Session
    ) throws -> Int {
        let key = AgeFileKey.random()
        let sink = try ArchiveSink(file, protection, key, session.output)
        let readme = Array(ArchiveReadme.text(of: session.messengers).utf8)
        // Beside pages of shares, signals wait as well: nobody could end a long wait. The survey has waited already.
        let sessionWait = wait.wait(session, atMost: identity == nil ? nil : LockedIdentity.usualWait, \.text)
        let digest = try session.output.busy("encrypting the archive", bytes: keeper.count(of: survey, readme)) { add in
            try keeper.export(survey, readme: readme, at: WallClock.now(), sessionWait) {
                try sink.write($0)
                add($0.count)
            }
            return try sink.finish()
        }
        guard file.isReadable else { return sink.count }
        do {
            let found = try session.output.busy("verifying the archive", bytes: sink.count) { add in
                try read(file, key, identity, add)
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
        _ file: ResultPieces, _ key: borrowing AgeFileKey, _ identity: HeldAgeIdentity?, _ add: @escaping (Int) -> Void
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
        if let identity { _ = try written.unlock(identity.identity) }
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
