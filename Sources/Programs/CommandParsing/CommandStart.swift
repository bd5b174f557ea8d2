package import ArgumentParser
package import Console

extension Program {
    /// Runs the command that the arguments name, from the start of the process to its end.
    /// - Parameters:
    ///   - root: the program.
    ///   - grammar: its commands.
    ///   - family: the program whose secrets it shares; nil for its own.
    package static func run<Root: ParsableCommand>(
        _ root: Root.Type, in grammar: CommandGrammar, family: String? = nil
    ) {
        begin(as: root._commandName, family: family)
        unsafe OutputOptions.details = grammar.details
        let (arguments, areUTF8) = ProcessArguments.read()
        ColorMode.read(arguments)
        do {
            // Two paths would become one.
            guard areUTF8 || CommandEnd.isCompletion(arguments) else {
                throw UsageFailure("an argument is not UTF-8 text")
            }
            if CommandWords.areVersion(arguments) { try CommandEnd.showVersion(arguments, in: grammar) }
            let parsed = CommandWords.parsed(arguments, in: grammar)
            var command = try (try? parsed?.get()) ?? whole(root, arguments, orElse: parsed)
            try command.run()
        } catch {
            CommandEnd.end(error, arguments, in: grammar)
        }
    }

    /// The command as the whole tree has it: help, a noun without its verb, or an error.
    /// - Parameter verb: what the parser says of the verb alone.
    private static func whole<Root: ParsableCommand>(
        _ root: Root.Type, _ arguments: [String], orElse verb: Result<any ParsableCommand, any Error>?
    ) throws -> any ParsableCommand {
        let command = try root.parseAsRoot(arguments)
        let type = type(of: command)
        // The parser has taken an option for the program's or the noun's, which nobody reads: from between another one
        // and its value, or from in front of the verb.
        guard type.configuration.subcommands.isEmpty, type._commandName != "help" else { return command }
        _ = try verb?.get()
        throw UsageFailure("an option in front of the command was not understood", hint: "put it behind the command")
    }
}
