internal import Passwords
package import SecureMemory

/// How a command gets a secret: from the source that was named, else by asking.
package struct SecretAsker<Kind: Secret> {
    private let options: SecretOptions<Kind>
    private let dialog: Dialog
    private static var tries: Int { 3 }

    /// - Parameters:
    ///   - options: name the source.
    ///   - dialog: asks if they name none.
    package init(_ options: SecretOptions<Kind>, _ dialog: Dialog) {
        self.options = options
        self.dialog = dialog
    }

    /// Opens something with the secret. Where it is typed, three tries.
    /// - Parameters:
    ///   - subject: what it belongs to.
    ///   - isTyped: ask for it, whatever the options say.
    ///   - kept: what is there already, so that nobody has to be asked.
    ///   - isWrong: whether an error of `body` means another try.
    ///   - wrong: the message for such an error, unless it is a `UsageFailure`, which has its own.
    package func open<Result: ~Copyable>(
        _ subject: SecretSubject, isTyped: Bool = false, kept: () -> Result? = { nil }, isWrong: (any Error) -> Bool,
        wrong: String = "wrong \(Kind.title)", _ body: (borrowing SecureBytes) throws -> Result
    ) throws -> Result {
        if !isTyped, let secret = try given() {
            do {
                return try body(secret)
            } catch  where secret.endsInBlank && (isWrong(error) || Failure(error).status.name == Self.wrong) {
                throw Failure(error).advising(Self.blankAdvice)
            }
        }
        if let result = kept() { return result }
        let terminal = try terminal()
        for attempt in 1... {
            let secret = try ask(Self.question(subject), on: terminal)
            // An empty answer opens nothing: ask again without trying it.
            let isLast = attempt == Self.tries
            do {
                guard secret.count > 0 else { throw SecretError.empty(title: Kind.title) }
                return try body(secret)
            } catch {
                let isEmpty = if case SecretError.empty = error { true } else { false }
                guard !isLast, isEmpty || isWrong(error) else { throw error }
                let words = (error as? UsageFailure)?.failure.message ?? wrong
                Output.word("error", isEmpty ? "nothing was entered" : "\(words); try again")
            }
        }
        throw missing
    }

    /// The name of the exit code of a program that has one for wrong secrets.
    private static var wrong: String { "wrong_password" }

    private static var blankAdvice: Hint {
        "the \(Kind.title) that was given ends with a blank, which is part of it: remove it if it does not belong there"
    }

    /// A secret for something new. Where it is typed, it is asked for twice, and refused with control characters. A
    /// weak one needs a second yes.
    /// - Parameters:
    ///   - minimum: fewest characters (Unicode scalars).
    ///   - enoughDigits: fewest digits of a number that is not weak; nil for those of a password.
    ///   - weak: what to do about a weak one.
    ///   - empty: what an empty answer at the prompt means.
    package func create(
        _ subject: SecretSubject, minimum: Int, enoughDigits: Int? = nil, weak: WeakSecrets,
        empty: EmptyAnswer = .isTooShort
    ) throws -> SecureBytes {
        let enoughDigits = enoughDigits ?? PasswordStrength.enoughDigits
        if let secret = try given() {
            try check(secret, isTyped: false, minimum, enoughDigits, weak)
            return secret
        }
        let terminal = try terminal()
        let nothing = Kind.isGenerated ? "a random one" : empty.isPossible ? "none" : nil
        var refusals = 0
        while true {
            do {
                let secret = try ask(Self.question(subject, nothingFor: nothing), on: terminal)
                if secret.count == 0 && Kind.isGenerated { return try generate(terminal) }
                if secret.count == 0 {
                    switch empty {
                    case .isTooShort: break
                    case .isNone: return secret
                    case .isNoneIfConfirmed(let question):
                        if try terminal.askYesNo(question) { return secret }
                        // A no is not a wrong secret. At the end of input, the next question throws.
                        continue
                    }
                }
                try check(secret, isTyped: true, minimum, enoughDigits, weak)
                let again = try ask(Self.question(subject, isAgain: true), on: terminal)
                let isSame = secret.withBytes { first in again.withBytes { ConstantTime.areEqual(first, $0) } }
                guard isSame else { throw SecretError.mismatch(title: Kind.title) }
                return secret
            } catch SecretError.noAnswer(let title) {
                // Who ends the input does not want to be asked again.
                throw SecretError.noAnswer(title: title)
            } catch {
                refusals += 1
                guard refusals < Self.tries else { throw error }
                Output.word("error", Failure(error).message)
            }
        }
    }

    /// Asks for a secret that was refused once more.
    /// - Parameter nothing: what Enter alone means.
    /// - Returns: an empty one for Enter alone; nil at the end of input.
    package static func askAgain(
        _ subject: SecretSubject, nothingFor nothing: String, on terminal: borrowing ControllingTerminal
    ) throws -> SecureBytes? {
        try terminal.askSecret(question(subject, isAgain: true, nothingFor: nothing))
    }

    /// A password of the machine's choice, shown and then typed once.
    private func generate(_ terminal: borrowing ControllingTerminal) throws -> SecureBytes {
        let secret = Proquint.encode(Random.secret(Self.generatedBits / 8))
        let words = "\(Kind.title), chosen at random (\(Self.generatedBits) bits):"
        // A terminal without a screen to wipe keeps showing it.
        if !terminal.hasOwnScreen { try terminal.show([words + " "], secret) }
        for attempt in 1... {
            if terminal.hasOwnScreen {
                let isSeen = try terminal.showAlone("Write it down, then press Enter to clear the screen. ") {
                    try terminal.show([words, "", "    "], secret)
                    try terminal.say("")
                }
                guard isSeen else { throw SecretError.noAnswer(title: Kind.title) }
            }
            let typed = try ask(terminal.hasOwnScreen ? "Now type it: " : "Write it down, then type it: ", on: terminal)
            let isSame = secret.withBytes { first in typed.withBytes { ConstantTime.areEqual(first, $0) } }
            if isSame { break }
            guard attempt < Self.tries else { throw SecretError.mismatch(title: Kind.title) }
            Output.word("error", "that is not the \(Kind.title) that was shown; try again")
        }
        return secret
    }

    /// Five words of 16 bits: more than anybody can guess, few enough to write down.
    private static var generatedBits: Int { 80 }

    private func given() throws -> SecureBytes? {
        guard let source = try options.source() else { return nil }
        return try source.read(title: Kind.title, output: dialog.output, mayAsk: dialog.mayAsk)
    }

    private func ask(_ question: String, on terminal: borrowing ControllingTerminal) throws -> SecureBytes {
        guard let secret = try terminal.askSecret(question) else { throw SecretError.noAnswer(title: Kind.title) }
        return secret
    }

    private func terminal() throws -> ControllingTerminal {
        guard dialog.mayAsk, let terminal = ControllingTerminal() else { throw missing }
        return terminal
    }

    /// - Parameters:
    ///   - isAgain: whether the same is asked a second time.
    ///   - nothing: the meaning of an empty answer, for example "none"; nil if it has no meaning.
    static func question(_ subject: SecretSubject, isAgain: Bool = false, nothingFor nothing: String? = nil) -> String {
        let title = Kind.title.prefix(1).uppercased() + Kind.title.dropFirst()
        return title + subject.words + (isAgain ? ", again" : "") + (nothing.map { " (Enter for \($0)): " } ?? ": ")
    }

    /// - Parameter isTyped: whether it was typed, so that it can be typed again without control characters.
    private func check(
        _ secret: borrowing SecureBytes, isTyped: Bool, _ minimum: Int, _ enoughDigits: Int, _ weak: WeakSecrets
    ) throws {
        guard let count = secret.characterCount else { throw SecretError.notUTF8(title: Kind.title) }
        guard secret.withBytes({ bytes in bytes.indices.allSatisfy { bytes[$0] != 0 } }) else {
            throw SecretError.hasNUL(title: Kind.title)
        }
        guard !isTyped || !secret.hasControls else { throw SecretError.hasControls(title: Kind.title) }
        guard count >= minimum else {
            throw UsageFailure("the \(Kind.title) has \(count) characters; it needs at least \(minimum)")
        }
        if secret.hasControls {
            dialog.output.warn("the \(Kind.title) contains control characters, which nobody can type elsewhere")
        }
        if secret.endsInBlank { dialog.output.warn("the \(Kind.title) ends with a blank, which is part of it") }
        guard let weakness = secret.withBytes({ PasswordStrength.weakness(of: $0, enoughDigits: enoughDigits) })
        else { return }
        let words = "the \(Kind.title) is weak: \(weakness.words(enoughDigits: enoughDigits))"
        if weak == .accept { return dialog.output.warn(words) }
        let refusal = UsageFailure(words, hint: "choose another one, or use --weak-ok")
        guard dialog.mayAsk, let terminal = ControllingTerminal() else { throw refusal }
        Output.word("warning", words)
        guard try terminal.askYesNo("Use it anyway?") else {
            throw UsageFailure("the weak \(Kind.title) was not used", hint: "choose another one")
        }
    }

    private var missing: SecretError {
        .none(
            title: Kind.title,
            sources: "--\(Kind.stem)-file, -command or -fd, \(Kind.variable)_FILE, _COMMAND or _FD, or "
                + "the systemd credential \(Kind.credential)")
    }
}

extension PasswordStrength.Weakness {
    fileprivate func words(enoughDigits: Int) -> String {
        switch self {
        case .repeated: "it repeats one character"
        case .digits where enoughDigits < PasswordStrength.enoughDigits: "it has fewer than \(enoughDigits) digits"
        case .digits: "it has only digits"
        case .sequence: "its digits only count up or down"
        case .common: "it is a common password"
        }
    }
}

/// What to do about a new secret that is easy to guess.
package enum WeakSecrets: Sendable {
    /// Ask on the terminal whether to use it; refuse it if nobody can be asked.
    case ask
    /// Use it, with a warning.
    case accept
}

/// What Enter alone means where a new secret is asked for.
package enum EmptyAnswer: Sendable {
    /// A secret that is too short, or a random one for the secrets that have one.
    case isTooShort
    /// No secret.
    case isNone
    /// No secret, after a yes to this question.
    case isNoneIfConfirmed(String)

    fileprivate var isPossible: Bool { if case .isTooShort = self { false } else { true } }
}
