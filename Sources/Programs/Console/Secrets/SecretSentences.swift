extension SecretError: Explained {
    /// The sentence and the exit code.
    package var failure: Failure {
        switch self {
        case .notReadable(let path, let code): Failure(.noInput, "cannot read \(path): \(systemMessage(code))")
        case .badDescriptor(let number, let code):
            Failure(.noInput, "cannot read file descriptor \(number): \(systemMessage(code))")
        case .commandFailed(let title, .exited(let status)):
            Failure(.needSecret, "the command for the \(title) failed with status \(status)")
        case .commandFailed(let title, .killed(let signal)):
            Failure(.needSecret, "the command for the \(title) was killed by signal \(signal)")
        case .commandFailed(let title, .notStarted(let code)):
            Failure(.needSecret, "the command for the \(title) did not start: \(systemMessage(code))")
        case .commandFailed(let title, .timedOut(let limit)):
            Failure(
                .needSecret,
                "the command for the \(title) was killed: it did not end within \(limit.components.seconds / 60) "
                    + (limit > .seconds(60) ? "minutes" : "minute"))
        case .commandFailed(let title, .printedNothing):
            Failure(.needSecret, "the command for the \(title) printed nothing")
        case .empty(let title): Failure(.badData, "the \(title) is empty")
        case .hasNUL(let title): Failure(.badData, "the \(title) contains a NUL byte")
        case .hasSecondLine(let title):
            Failure(.badData, "the source of the \(title) has more than one line")
        case .tooLong: Failure(.badData, "the secret is too long")
        case .notUTF8(let title): Failure(.badData, "the \(title) is not UTF-8 text")
        case .noTerminal: Failure(.needSecret, "the terminal cannot be read")
        case .noAnswer(let title): Failure(.needSecret, "the \(title) was not entered; nothing was changed")
        case .none(let title, let sources):
            Failure(
                .needSecret,
                "the \(title) is missing and cannot be asked for: there is no terminal, or --no-input is given",
                hints: "give it by \(sources)")
        case .mismatch(let title): Failure(.usage, "the \(title) was not repeated correctly")
        }
    }
}
