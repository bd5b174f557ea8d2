package import ArgumentParser
package import Console

/// The words of a command line that should name a command, read without the parser, which has already failed.
struct CommandWords {
    /// Those at the front that do: a noun, a verb.
    private(set) var path: [String] = []
    /// The first one that does not, where a command is still wanted.
    private(set) var unknown: String?

    /// What those at the front name.
    private(set) var command: any ParsableCommand.Type
    private var next: String?
    private let grammar: CommandGrammar

    init(_ arguments: [String], in grammar: CommandGrammar) {
        self.grammar = grammar
        command = grammar.root
        var words = Self.words(arguments, grammar)[...]
        while let word = words.first, let verb = command.verb(word.text) {
            path.append(word.text)
            command = verb
            words.removeFirst()
        }
        // A leaf command's words are no commands, and what follows a strange option may be its value.
        guard !command.verbs.isEmpty, let word = words.first, word.isSure else { return }
        unknown = word.text
        next = words.dropFirst().first?.text
    }

    /// The verb or noun on which help was asked for by `help`, and which does not exist.
    init?(help arguments: [String], in grammar: CommandGrammar) {
        guard Self.words(arguments, grammar).first?.text == "help" else { return nil }
        self.init(helpOn: arguments, in: grammar)
        guard unknown != nil else { return nil }
    }

    /// The verb that the arguments surely name, and what it gets: the options in front of it, and all behind it. Nil for
    /// what the parser has to see as a whole: help, a request for completions, a word that is wrong.
    static func verb(
        in arguments: [String], of grammar: CommandGrammar
    ) -> (type: any ParsableCommand.Type, arguments: [String])? {
        var command = grammar.root
        var options: [String] = []
        var isValue = false
        for (index, argument) in arguments.enumerated() {
            if isValue || argument.hasPrefix("-") {
                guard isValue || grammar.takesValue(argument) || grammar.isComplete(argument) else { return nil }
                isValue = !isValue && grammar.takesValue(argument)
                options.append(argument)
                continue
            }
            guard let verb = command.verb(argument) else { return nil }
            command = verb
            if verb.verbs.isEmpty { return (verb, options + arguments[(index + 1)...]) }
        }
        return nil
    }

    /// Whether nothing but the version is asked for.
    static func areVersion(_ arguments: [String]) -> Bool {
        arguments.contains("--version")
            && arguments.allSatisfy { ["--version", "--json", "-v", "--verbose", "-q", "--quiet"].contains($0) }
    }

    /// What help was asked for on, by `help` or by an option.
    init(helpOn arguments: [String], in grammar: CommandGrammar) {
        let words = Self.words(arguments, grammar).map(\.text)
        self.init(words.first == "help" ? Array(words.dropFirst()) : arguments, in: grammar)
    }

    /// The end of the help on a verb: how it is typed. Empty for a noun.
    var example: String {
        let words = ([grammar.name] + path).joined(separator: " ")
        let line = grammar.examples().first { $0 == words || $0.hasPrefix(words + " ") }
        guard command.verbs.isEmpty, let line else { return "" }
        return "\n\nEXAMPLE:\n  " + line
    }

    /// The error for a command that does not exist, with suggestions. Nil if the command exists.
    var failure: Failure? {
        guard let unknown else { return nil }
        let name = (path + [unknown.printable]).joined(separator: " ")
        if let other = grammar.elsewhere.first(where: { $0.hasSuffix(" " + name) }) {
            return Failure(
                .usage, "unknown command \"\(name)\"",
                hints: "another program has it, which is not installed by default: \(other)")
        }
        let likely = likely(unknown).map { "\"\(grammar.name) \($0)\"" }.joined(separator: " or ")
        return Failure(
            .usage, "unknown command \"\(name)\"",
            hints: (likely.isEmpty ? [] : ["did you mean \(likely)?"]) + [Hint(help)])
    }

    /// What to type to read more.
    var help: String { ([grammar.name] + path + ["--help"]).joined(separator: " ") }

    private func likely(_ word: String) -> [String] {
        guard path.isEmpty else {
            let meanings = grammar.commonNames.meanings(of: word, behind: path.first)
            guard meanings.isEmpty else { return meanings }
            // A noun where a verb belongs.
            guard grammar.root.verb(word) == nil else { return [word] }
            return Suggestion.nearest(
                to: word,
                among: command.verbs.map { verb in
                    (verb._commandName, (path + [verb._commandName]).joined(separator: " "))
                })
        }
        var choice = [("help", "help"), ("version", "--version")]
        choice += ["completion", "completions"].map { ($0, "--generate-completion-script bash") }
        choice += grammar.root.verbs.map { ($0._commandName, $0._commandName) }
        func pairs(isSpecial: Bool) -> [(String, String)] {
            grammar.root.verbs
                .filter { grammar.commonNames.special.contains($0._commandName) == isSpecial }
                .flatMap { noun in noun.verbs.map { ($0._commandName, "\(noun._commandName) \($0._commandName)") } }
        }
        let (common, special) = (pairs(isSpecial: false), pairs(isSpecial: true))
        // `push` alone lacks its noun; `contact list` has one that does not exist.
        guard !(common + special).contains(where: { $0.0 == next }) else {
            return Suggestion.nearest(to: word, among: choice)
        }
        let meanings = grammar.commonNames.meanings(of: word, behind: nil)
        if !meanings.isEmpty, !common.contains(where: { $0.0 == word }) { return meanings }
        choice += common
        let nearest = Suggestion.nearest(to: word, among: choice)
        return nearest.isEmpty ? Suggestion.nearest(to: word, among: special) : nearest
    }

    /// The arguments that are neither options nor values of global ones, and whether they surely are no values.
    private static func words(_ arguments: [String], _ grammar: CommandGrammar) -> [(text: String, isSure: Bool)] {
        var words: [(text: String, isSure: Bool)] = []
        var isSure = true
        var isValue = false
        for argument in arguments {
            if isValue {
                isValue = false
            } else if !argument.hasPrefix("-") {
                words.append((argument, isSure))
            } else {
                isValue = grammar.takesValue(argument)
                if !isValue, !grammar.isComplete(argument) { isSure = false }
            }
        }
        return words
    }
}

extension ParsableCommand {
    fileprivate static var verbs: [any ParsableCommand.Type] { configuration.subcommands }

    fileprivate static func verb(_ name: String) -> (any ParsableCommand.Type)? {
        verbs.first { $0._commandName == name }
    }
}

/// Only a noun, or nothing: a person wants help, and a script has lost a word.
package struct MissingVerb: Explained {
    /// Help on the noun, or the overview of the program.
    let help: [String]
    /// The sentence, and where help is.
    package let failure: Failure

    /// - Parameter command: the noun, or the program itself.
    package init(_ command: any ParsableCommand.Type, in grammar: CommandGrammar) {
        CommandEnd.widen()
        let overview = command == grammar.root ? Overview(of: grammar) : nil
        help = overview?.lines ?? grammar.root.helpMessage(for: command).lines
        let words = command == grammar.root ? [grammar.name] : [grammar.name, command._commandName]
        // The overview has said it.
        let beginning = command == grammar.root && overview == nil ? grammar.beginning : []
        failure = Failure(
            .usage, "a command is missing",
            hints: beginning.map { Hint($0) } + ["\(words.joined(separator: " ")) --help"]
        )
    }
}
