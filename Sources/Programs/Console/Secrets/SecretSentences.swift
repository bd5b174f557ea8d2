extension SecretError: Explained {
    /// The sentence and the exit code.
    package var failure: Failure {
        switch self {
        case .notReadable(let path, let code): Failure(.noInput, "cannot read \(path): \(systemMessage(code))")
        case .badDescriptor(let number, let code):
            Failure(.noInput, "cannot read file descriptor \(number): \(systemMessage(code))")
        case .isTerminal(let path):
            Failure(
                .usage, "\(path) is a terminal, which shows what is typed", hints: "without this source you are asked")
        case .commandFailed(let title, let status):
            Failure(
                .needSecret, "the command for the \(title) \(status.sentence)",
                hints: "run the command by itself on a terminal, to see what it needs")
        case .empty(let title): Failure(.badData, "the \(title) is empty")
        case .hasNUL(let title): Failure(.badData, "the \(title) contains a NUL byte")
        case .hasControls(let title): Failure(.badData, "the \(title) contains a control character (Tab, arrow key, …)")
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

extension SecretError.CommandStatus {
    /// What follows the command in a sentence.
    fileprivate var sentence: String {
        switch self {
        case .exited(let status): "failed with status \(status)"
        case .killed(let signal): "was killed by signal \(signal)"
        case .notStarted(let code): "did not start: \(systemMessage(code))"
        case .timedOut(let limit):
            "was killed: it did not end within \(limit.components.seconds / 60) "
                + (limit > .seconds(60) ? "minutes" : "minute")
        case .printedNothing: "printed nothing"
        }
    }
}
