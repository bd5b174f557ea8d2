import Age
import ArgumentParser
import CommandLine
import Console
import SecureMemory

/// How a file with an account is opened.
struct AccountFileOptions: ParsableArguments {
    @OptionGroup(title: "Passphrase of the file")
    var passphrase: SecretOptions<FilePassphrase>

    @OptionGroup var identities: AgeIdentityOptions

    /// Reads a file that may be secret.
    /// - Parameter path: `-` for stdin.
    /// - Throws: `InputError`.
    static func read(_ path: String, limit: Int) throws -> SecureBytes {
        return try InputFile(operand: path).readGuarded(limit: limit)
    }

    /// Opens an age file; asks for its passphrase if it needs one.
    /// - Parameters:
    ///   - content: the age file.
    ///   - path: of the file, for questions.
    ///   - limit: longest content that is read, in bytes.
    /// - Returns: what is in it, and its work factor, which is nil for a file for recipients.
    /// - Throws: `AgeError`; what `SecretAsker.open` throws.
    func openAge(
        _ content: Span<UInt8>, named path: String, limit: Int, _ session: Session
    ) throws -> OpenedAgeFile {
        // An encrypted file is not secret.
        let file = try AgeFile(content.revealBytes())
        let workFactor = file.workFactor
        let key = try identities.unlock(file, named: path, or: passphrase, session)
        return OpenedAgeFile(plain: try file.open(key).readAll(limit: limit), workFactor: workFactor)
    }
}

/// What is in an age file.
struct OpenedAgeFile: ~Copyable {
    let plain: SecureBytes
    /// Nil for a file for recipients.
    let workFactor: Int?
}

/// How a new age file is protected.
struct NewAgeFileOptions<Passphrase: Secret>: ParsableArguments {
    @OptionGroup(
        title: Passphrase.title.prefix(1).uppercased() + Passphrase.title.dropFirst() + " (at least 8 characters)")
    var passphrase: SecretOptions<Passphrase>

    @OptionGroup var recipients: AgeRecipientOptions

    @Flag(help: "Accept a weak passphrase; only warn.")
    var weakOk = false

    /// Refuses before anything is asked for.
    func check() throws { _ = try recipients.recipients(insteadOf: passphrase) }

    fileprivate var weak: WeakSecrets { weakOk ? .accept : .ask }

    /// Makes an age file; asks for its passphrase if it has no recipients.
    /// - Parameter subject: what the passphrase belongs to.
    func seal(
        _ content: borrowing SecureBytes, _ subject: SecretSubject, _ session: Session
    ) throws -> [UInt8] {
        try recipients.protection(or: passphrase, subject, weak: weak, session).seal(content, session.output)
    }
}

/// Makes the file of an account that is exported.
struct AccountSealer {
    private let options: NewAgeFileOptions<FilePassphrase>
    private let subject: SecretSubject
    let session: Session

    /// - Parameter subject: what the passphrase belongs to.
    init(_ options: NewAgeFileOptions<FilePassphrase>, _ subject: SecretSubject, _ session: Session) {
        self.options = options
        self.subject = subject
        self.session = session
    }

    func age(_ content: borrowing SecureBytes) throws -> [UInt8] { try options.seal(content, subject, session) }

    /// Asks for the passphrase of a file of another form.
    /// - Parameter minimum: fewest characters.
    func passphrase(minimum: Int) throws -> SecureBytes {
        try SecretAsker(options.passphrase, session.dialog).create(subject, minimum: minimum, weak: options.weak)
    }
}
