import ArgumentParser

/// A verb as the parser's only command.
///
/// The parser makes tables of every command in its tree, and of the options of each level, before it reads a word: most
/// of a short command's time. So it gets the verb alone. The whole tree is there for help, completion and the words about
/// an error.
struct Alone<Verb: ParsableCommand>: ParsableCommand {
    static var configuration: CommandConfiguration {
        var configuration = CommandConfiguration()
        // The parser's mark of a program that another one starts: it looks for no request of completions.
        configuration._superCommandName = ""
        return configuration
    }

    @OptionGroup var verb: Verb
}

extension CommandWords {
    /// The verb that the arguments name, parsed, or what the parser says of them. Nil if they name none for sure, or ask
    /// for help.
    static func parsed(_ arguments: [String], in grammar: CommandGrammar) -> Result<any ParsableCommand, any Error>? {
        guard let (type, own) = verb(in: arguments, of: grammar) else { return nil }
        func parsed<Verb: ParsableCommand>(_ type: Verb.Type) -> Result<any ParsableCommand, any Error>? {
            do {
                return try (Alone<Verb>.parseAsRoot(own) as? Alone<Verb>).map { .success($0.verb) }
            } catch {
                return .failure(error)
            }
        }
        return parsed(type)
    }
}
