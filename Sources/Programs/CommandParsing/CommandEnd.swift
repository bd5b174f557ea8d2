import ArgumentParser
import Console
import Encodings
import Glibc

/// The end of a process whose command threw an error: help and version, or a failure with its exit code.
package enum CommandEnd {
    /// Whether a shell asks for the completions of the word under its cursor.
    package static func isCompletion(_ arguments: [String]) -> Bool { arguments.first == "---completion" }

    /// Prints what there is to say, and ends the process.
    /// - Parameter error: what parsing or running the command threw.
    package static func end(_ error: any Error, _ arguments: [String], in grammar: CommandGrammar) -> Never {
        let isJSON = arguments.prefix { $0 != "--" }.contains("--json")
        let isVerbose = arguments.prefix { $0 != "--" }.contains { $0 == "-v" || $0 == "--verbose" }
        var failure: Failure
        if error is any Explained {
            failure = Failure(error)
        } else if grammar.root.exitCode(for: error) == .success {
            // Help and version come as errors, but are none.
            do {
                if let failure = CommandWords(help: arguments, in: grammar)?.failure {
                    throw CommandFailure(failure: failure)
                }
                if let cluster = arguments.first(where: grammar.isStrangeQuestion) {
                    throw UsageFailure(
                        "unknown option '\(cluster.prefix(2))…'", hint: CommandWords(arguments, in: grammar).help)
                }
                try Output.write(asked(grammar.root.fullMessage(for: error), isJSON, grammar) + "\n", to: STDOUT_FILENO)
                Glibc.exit(0)
            } catch {
                failure = Failure(error)
            }
        } else {
            failure = Failure(parsing: error, arguments, in: grammar)
        }
        // Words would land in the middle of the line that is being typed.
        if isCompletion(arguments) { Glibc.exit(failure.status.rawValue) }
        let isReported = (error as? CommandFailure)?.isReported == true
        if let missing = error as? MissingVerb, !isJSON {
            try? Output.write(missing.help + "\n\n", to: STDERR_FILENO)
        }
        if isJSON { failure.reportJSON() } else if !isReported { failure.report(isVerbose: isVerbose) }
        Glibc.exit(failure.status.rawValue)
    }

    /// Help is for people, whatever the options say; the version is for programs, too.
    private static func asked(_ text: String, _ isJSON: Bool, _ grammar: CommandGrammar) -> String {
        guard isJSON, text == grammar.root.configuration.version else {
            return CompletionScript(name: grammar.name).finished(text)
        }
        return Output.text(.result("version", [("version", .string(grammar.version))]))
    }
}
