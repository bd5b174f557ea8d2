import SecureMemory

/// How a command gets a secret: from the source that was named, else by asking.
struct SecretAsker<Kind: Secret> {
    private let options: SecretOptions<Kind>
    private let session: Session
    private static var tries: Int { 3 }

    init(_ options: SecretOptions<Kind>, _ session: Session) {
        self.options = options
        self.session = session
    }

    /// Opens something with the secret. Where it is typed, three tries.
    /// - Parameters:
    ///   - subject: what it belongs to, for the prompt, for example "for ABCD1234".
    ///   - isWrong: whether an error of `body` means another try.
    func open<Result: ~Copyable>(
        _ subject: String, isWrong: (any Error) -> Bool, _ body: (borrowing SecureBytes) throws -> Result
    ) throws -> Result {
        if let secret = try given() { return try body(secret) }
        let terminal = try terminal()
        for attempt in 1... {
            guard let secret = try terminal.askSecret(Self.question(subject)) else { throw missing }
            // An empty answer opens nothing: ask again without trying it.
            let isLast = attempt == Self.tries
            do {
                guard secret.count > 0 else { throw SecretError.empty(title: Kind.title) }
                return try body(secret)
            } catch {
                var isEmpty = false
                if case SecretError.empty = error { isEmpty = true }
                guard !isLast, isEmpty || isWrong(error) else { throw error }
                Output.word("error", isEmpty ? "nothing was entered" : "that is not it; try again")
            }
        }
        throw missing
    }

    /// A secret for something new. Where it is typed, it is asked for twice.
    /// - Parameter minimum: fewest characters (Unicode scalars).
    func create(_ subject: String, minimum: Int) throws -> SecureBytes {
        if let secret = try given() {
            try Self.check(secret, minimum)
            return secret
        }
        let terminal = try terminal()
        for attempt in 1... {
            guard let secret = try terminal.askSecret(Self.question(subject)) else { throw missing }
            do {
                try Self.check(secret, minimum)
                guard let again = try terminal.askSecret(Self.question(subject + ", again")) else { throw missing }
                let isSame = secret.withBytes { first in again.withBytes { ConstantTime.areEqual(first, $0) } }
                guard isSame else { throw SecretError.mismatch(title: Kind.title) }
                return secret
            } catch {
                guard attempt < Self.tries else { throw error }
                Output.word("error", Failure(error).message)
            }
        }
        throw missing
    }

    private func given() throws -> SecureBytes? {
        guard let source = try options.source() else { return nil }
        return try source.read(title: Kind.title, output: session.output)
    }

    private func terminal() throws -> ControllingTerminal {
        guard session.mayAsk, let terminal = ControllingTerminal() else { throw missing }
        return terminal
    }

    private static func question(_ subject: String) -> String {
        let title = Kind.title.prefix(1).uppercased() + Kind.title.dropFirst()
        return "\(title) \(subject): "
    }

    private static func check(_ secret: borrowing SecureBytes, _ minimum: Int) throws {
        guard let count = secret.characterCount else { throw SecretError.notUTF8(title: Kind.title) }
        guard count >= minimum else {
            throw UsageFailure("the \(Kind.title) has \(count) characters; it needs at least \(minimum)")
        }
    }

    private var missing: SecretError {
        .none(
            title: Kind.title,
            sources: "--\(Kind.stem)-file, -command and -fd, \(Kind.variable)_FILE, _COMMAND and _FD, "
                + "the systemd credential \(Kind.credential)")
    }
}
