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
        let (isJSON, isVerbose) = asks(arguments)
        widen()
        var failure: Failure
        if case OutputError.readerLeft = error {
            endQuietly()
        } else if error is any Explained {
            failure = Failure(error)
        } else if grammar.root.exitCode(for: error) == .success {
            // Help and version come as errors, but are none.
            do {
                if let failure = CommandWords(help: arguments, in: grammar)?.failure {
                    throw failure
                }
                if let cluster = arguments.first(where: grammar.isStrangeQuestion) {
                    throw UsageFailure(
                        "unknown option '\(cluster.prefix(2))…'", hint: Hint(CommandWords(arguments, in: grammar).help))
                }
                let text = grammar.root.fullMessage(for: error)
                if text == grammar.root.configuration.version { try showVersion(arguments, in: grammar) }
                try Output.print(toCopy: asked(text, arguments, grammar).lines)
                Glibc.exit(0)
            } catch OutputError.readerLeft {
                endQuietly()
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
            Output.say(missing.help + [""])
        }
        if isJSON { failure.reportJSON() } else if !isReported { failure.report(isVerbose: isVerbose) }
        Glibc.exit(failure.status.rawValue)
    }

    /// The parser wraps help to a width that it takes from here first, and cannot do so for a few columns.
    static func widen() {
        let columns = Environment.value("COLUMNS").flatMap { Int($0) } ?? TerminalSize.current?.columns ?? 80
        if columns < 40 { unsafe setenv("COLUMNS", "40", 1) }
    }

    /// Prints the version, for people or for programs, and ends the process.
    static func showVersion(_ arguments: [String], in grammar: CommandGrammar) throws -> Never {
        let (isJSON, isVerbose) = Self.asks(arguments)
        let report = VersionReport(details: isVerbose ? .init(opened: grammar.opened()) : nil)
        let json = String(decoding: report.json.encodedForOutput, as: UTF8.self)
        try Output.print(toCopy: isJSON ? [json] : report.lines(grammar.root.configuration.version))
        Glibc.exit(0)
    }

    /// Whether the arguments ask for JSON, and for more words.
    private static func asks(_ arguments: [String]) -> (isJSON: Bool, isVerbose: Bool) {
        let options = arguments.prefix { $0 != "--" }
        return (options.contains("--json"), options.contains { $0 == "-v" || $0 == "--verbose" })
    }

    /// Nobody reads the result any more, as in `keytool … | head -1`: the process ends as other programs do, by the
    /// signal of a closed pipe, which a shell shows as 141.
    private static func endQuietly() -> Never {
        signal(SIGPIPE, SIG_DFL)
        raise(SIGPIPE)
        Glibc.exit(128 + SIGPIPE)
    }

    /// Help is for people, whatever the options say; the version is for programs, too.
    private static func asked(_ text: String, _ arguments: [String], _ grammar: CommandGrammar) -> String {
        guard text.hasPrefix("OVERVIEW: ") else { return CompletionScript(name: grammar.name).finished(text) }
        return text + CommandWords(helpOn: arguments, in: grammar).example
    }
}

extension String {
    var lines: [String] { split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }
}
