import Age
import ArgumentParser
import CommandLine
import Console
import Encodings
import Keystore
import MessengerKeeping
import SecureMemory

/// An archive that a command reads, and what opens it.
struct ArchiveFileOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("The archive, or - for stdin.", valueName: "file"), completion: .file())
    var file: String

    @Argument(
        help: ArgumentHelp(
            "With --shares: files with the words of one share each, or - for stdin. Without them, the words are asked for.",
            valueName: "share"),
        completion: .file())
    var shareFiles: [String] = []

    @Flag(help: "Open it with shares of its key, which stand on pages.")
    var shares = false

    @OptionGroup var identities: AgeIdentityOptions

    @Option(
        help: ArgumentHelp(
            "Accept a passphrase that costs up to 2^N KiB of memory to check; at most 22.", valueName: "n"))
    var maxWorkFactor = AgeFile.defaultMaxWorkFactor

    @OptionGroup(title: "Archive passphrase")
    var passphrase: SecretOptions<ArchivePassphrase>

    func validate() throws {
        guard (1...AgeFile.greatestWorkFactor).contains(maxWorkFactor) else {
            throw ValidationError("--max-work-factor is 1 to \(AgeFile.greatestWorkFactor)")
        }
        guard shares || shareFiles.isEmpty else {
            throw ValidationError("only one archive can be read; files with words of shares need --shares")
        }
        guard ([file] + shareFiles + identities.paths).count(where: { $0 == "-" }) < 2 else {
            throw ValidationError("stdin can be used for only one thing")
        }
        guard !shares || identities.paths.isEmpty && !passphrase.isGiven else {
            throw ValidationError("--shares cannot be combined with --identity or an archive passphrase")
        }
        guard identities.paths.isEmpty || !passphrase.isGiven else {
            throw ValidationError(
                "--identity and an archive passphrase cannot be combined: a file opens with one or the other")
        }
    }

    /// Reads and decrypts the archive to its end.
    /// - Throws: `InputError`; `AgeError`; `ArchiveError`; what asking for a secret throws.
    func open(_ session: Session) throws -> OpenedArchive {
        try passphrase.requireOtherSource(ifTaken: file == "-")
        let input = try InputFile(operand: file).pieces()
        let encrypted = try AgeFile { try input.read(into: &$0) }
        let isSigned = encrypted.recipientKinds.contains(.passphrase)
        let key = try shares ? unlockByShares(encrypted, session) : unlock(encrypted, session)
        // Optional, because a closure cannot consume what it captures.
        var reader = Optional(try encrypted.open(key))
        let content = try session.output.busy("decrypting the archive", bytes: input.count) { add in
            input.observer = add
            return try reader.take()!.readAll(limit: Archive.maxBytes)
        }
        let archive = try content.withBytes { (bytes) throws(ArchiveError) in try Archive(bytes) }
        if !isSigned {
            session.output.note(
                "the archive is not signed: anyone who knows the recipient can have made it; compare the public keys")
        }
        return OpenedArchive(archive: archive, isSigned: isSigned)
    }
}

extension ArchiveFileOptions {
    /// - Throws: `Failure`, before shares are asked for if none can open the file; as `ShareSource.join`.
    private func unlockByShares(_ file: borrowing AgeFile, _ session: Session) throws -> AgeFileKey {
        let kinds = file.recipientKinds
        guard !kinds.contains(.passphrase) else {
            throw UsageFailure("the archive is under a passphrase, and no share opens it", hint: "leave --shares out")
        }
        guard kinds.contains(.x25519) else { throw AgeError.noMatch(kinds) }
        let joined = try ShareSource(files: shareFiles).join(session)
        // A joined key has the right length.
        let identity = AgeIdentity(bytes: joined.key)!
        do throws(AgeError) { return try file.unlock(identity) } catch .noMatch {
            throw Failure(
                .verifyFailed, "the shares belong together, but they are not of this archive",
                hints: "the pages name the file and the day of their archive",
                "shares of a Threema ID restore it: keytool backup join")
        } catch {
            throw error
        }
    }

    private func unlock(_ file: borrowing AgeFile, _ session: Session) throws -> AgeFileKey {
        let name = self.file == "-" ? "the archive" : self.file
        guard let workFactor = file.workFactor, identities.paths.isEmpty else {
            do {
                return try identities.unlock(file, named: name, or: passphrase, session)
            } catch let error as AgeIdentityError {
                guard case .needed = error else { throw error }
                throw error.failure.advising("if its key was shared among people: --shares")
            }
        }
        // Before anything is asked for.
        guard workFactor <= maxWorkFactor else {
            let failure = Failure(AgeError.workFactor(workFactor, limit: maxWorkFactor))
            guard workFactor <= AgeFile.greatestWorkFactor else { throw failure }
            throw Failure(
                failure.status, failure.message, hints: "if you trust the file: --max-work-factor \(workFactor)")
        }
        return try SecretAsker(passphrase, session.dialog).open(
            .of(name), isWrong: { if case AgeError.noMatch? = $0 as? AgeError { true } else { false } }
        ) { passphrase in
            try session.output.busy("deriving the key of the archive") {
                try file.unlock(passphrase: passphrase, maxWorkFactor: maxWorkFactor)
            }
        }
    }
}

/// An archive that is complete.
struct OpenedArchive {
    let archive: Archive
    /// Whether only somebody who knows the archive passphrase can have made it.
    let isSigned: Bool

    /// What every result says of it.
    var members: [(String, JSONValue?)] {
        [
            ("created_at", .string(archive.time.rfc3339)),
            ("protection", .string(isSigned ? "passphrase" : "recipients")),
            ("signed", .bool(isSigned)),
        ]
    }
}
