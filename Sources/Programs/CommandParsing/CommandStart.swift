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
            var command = try CommandTree.whilePruned(to: CommandWords.noun(arguments, in: grammar)) {
                try root.parseAsRoot(arguments)
            }
            try command.run()
        } catch {
            CommandEnd.end(error, arguments, in: grammar)
        }
    }
}
