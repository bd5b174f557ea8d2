import Age
import ArgumentParser
import CommandLine
import Console
import KeyWrapping
import SecureMemory

// How commands open and write age files: by a passphrase, as every secret, or by keys of age.

/// The recipients of an age file that a command writes.
struct AgeRecipientOptions: ParsableArguments {
    @Option(
        name: .customLong("recipient"),
        help: ArgumentHelp(
            "Encrypt for this age recipient, instead of under a passphrase; repeatable.", valueName: "age1..."))
    var texts: [String] = []

    /// Refuses before anything is asked for.
    /// - Returns: empty if none is named.
    /// - Throws: `AgeRecipientError`; `UsageFailure` if a passphrase is named, too, by an option.
    func recipients<Kind: Secret>(insteadOf passphrase: SecretOptions<Kind>) throws -> [AgeRecipient] {
        guard !texts.isEmpty else { return [] }
        guard !passphrase.isGiven else {
            throw UsageFailure("--recipient cannot be combined with the \(Kind.title): a file has one or the other")
        }
        return try AgeRecipientError.recipients(texts)
    }

    /// What is to open a new file: the recipients, or a passphrase, which is asked for twice on a terminal.
    /// - Parameter subject: what the passphrase belongs to.
    /// - Throws: as `recipients`; what `SecretAsker.create` throws.
    func protection<Kind: Secret>(
        or passphrase: SecretOptions<Kind>, _ subject: SecretSubject, weak: WeakSecrets, _ session: Session
    ) throws -> AgeProtection {
        let recipients = try recipients(insteadOf: passphrase)
        guard recipients.isEmpty else { return .recipients(recipients) }
        return .passphrase(
            try SecretAsker(passphrase, session.dialog).create(
                subject, minimum: WrappedKey.minimumPassphraseLength, weak: weak))
    }
}

/// What opens an age file that is to be written.
enum AgeProtection: ~Copyable {
    case passphrase(SecureBytes)
    case recipients([AgeRecipient])

    /// Encrypts something small, and opens the result again. A passphrase takes a second.
    /// - Returns: the whole file.
    /// - Throws: `AgeError`.
    borrowing func seal(_ content: borrowing SecureBytes, _ output: Output) throws -> [UInt8] {
        switch self {
        case .passphrase(let passphrase):
            try output.busy("deriving the key of the file") { try AgeWriter.seal(content, passphrase: passphrase) }
        case .recipients(let recipients): try AgeWriter.seal(content, to: recipients)
        }
    }
}

/// The files with age's secret keys that open a file for recipients.
struct AgeIdentityOptions: ParsableArguments {
    @Option(
        name: .customLong("identity"),
        help: ArgumentHelp(
            "Open an age file for recipients with the secret keys in this file; repeatable.", valueName: "agekeyfile"),
        completion: .file())
    var paths: [String] = []

    /// Reads the keys.
    /// - Returns: empty if no file is named.
    /// - Throws: `AgeIdentityError`; `InputError`.
    func identities(_ session: Session) throws -> [HeldAgeIdentity] {
        try paths.flatMap { try Self.identities(at: $0, session) }
    }

    /// Finds the key of an age file: with the named identities, or with a passphrase, which has three tries on a
    /// terminal.
    /// - Parameters:
    ///   - name: of the file, for questions.
    ///   - read: the identities, if they were read already and need not be for this file.
    /// - Throws: `AgeError`, among others `.noMatch`; `AgeIdentityError`; what `SecretAsker.open` throws.
    func unlock<Kind: Secret>(
        _ file: borrowing AgeFile, named name: String, or passphrase: SecretOptions<Kind>,
        identities read: [HeldAgeIdentity]? = nil, _ session: Session
    ) throws -> AgeFileKey {
        let kinds = file.recipientKinds
        if !paths.isEmpty, read == nil || !kinds.contains(.passphrase) {
            guard !kinds.contains(.passphrase) else { throw AgeIdentityError.underPassphrase }
            for identity in try read ?? identities(session) {
                do throws(AgeError) { return try file.unlock(identity.identity) } catch .noMatch { continue } catch {
                    throw error
                }
            }
            throw AgeError.noMatch(kinds)
        }
        guard kinds.contains(.passphrase) else {
            guard kinds.contains(.x25519) else { throw AgeError.noMatch(kinds) }
            throw AgeIdentityError.needed
        }
        // Before anything is asked for.
        if let workFactor = file.workFactor, workFactor > AgeFile.defaultMaxWorkFactor {
            throw AgeError.workFactor(workFactor, limit: AgeFile.defaultMaxWorkFactor)
        }
        return try SecretAsker(passphrase, session.dialog).open(
            .named(name), isWrong: { if case AgeError.noMatch? = $0 as? AgeError { true } else { false } }
        ) { passphrase in
            try session.output.busy("deriving the key of the file") { try file.unlock(passphrase: passphrase) }
        }
    }

    private static func identities(at path: String, _ session: Session) throws -> [HeldAgeIdentity] {
        let text = try InputFile(operand: path).readGuarded(.text, limit: AgeKeyFile.limit, warning: session.output)
        return try text.withBytes { text in
            guard !AgeFile.isLikely(text) else { throw AgeIdentityError.encrypted(path: path) }
            var identities: [HeldAgeIdentity] = []
            var unsupported: AgeIdentityError?
            for line in try AgeKeyFile(text).lines {
                do throws(AgeKeyError) {
                    identities.append(HeldAgeIdentity(try AgeIdentity(text.extracting(line.bytes))))
                } catch {
                    let failure = AgeIdentityError.key(path: path, line: line.number, error)
                    guard case .unsupported = error else { throw failure }
                    unsupported = unsupported ?? failure
                }
            }
            guard identities.isEmpty else { return identities }
            throw unsupported ?? .none(path: path)
        }
    }
}

/// A secret key of age in a list. It is wiped with the last reference.
final class HeldAgeIdentity: Sendable {
    let identity: AgeIdentity

    init(_ identity: consuming AgeIdentity) { self.identity = identity }
}

/// Why `--recipient` was refused. Its text is not repeated: it may be a secret key.
struct AgeRecipientError: Error {
    /// Which of the recipients, from 1.
    let number: Int
    let reason: AgeKeyError

    /// Reads recipients `age1...`.
    /// - Throws: `AgeRecipientError` for the first one that is none.
    static func recipients(_ texts: [String]) throws -> [AgeRecipient] {
        try texts.enumerated().map { index, text in
            do throws(AgeKeyError) { return try AgeRecipient(text) } catch {
                throw AgeRecipientError(number: index + 1, reason: error)
            }
        }
    }
}

/// Why no identity was read.
enum AgeIdentityError: Error {
    /// The file is for recipients, and no identity was named.
    case needed
    /// The file is under a passphrase, but an identity was named.
    case underPassphrase
    /// The file has no keys.
    case none(path: String)
    /// The file is an age file itself.
    case encrypted(path: String)
    case key(path: String, line: Int, AgeKeyError)
}
