import ArgumentParser

/// The options that a command has, read from its help: the parser does not tell them.
struct CommandOptions {
    /// Each name with its dashes, and whether a value follows it.
    private let takesValue: [String: Bool]

    init(of command: any ParsableCommand.Type, in grammar: CommandGrammar) {
        var takesValue = ["--help": false, "-h": false, "--version": false]
        for line in grammar.root.helpMessage(for: command, columns: 200).split(separator: "\n") {
            // "  -o, --output <file>     Write the code to a new file."
            guard line.hasPrefix("  -") else { continue }
            let words = line.dropFirst(2).split(separator: " ", omittingEmptySubsequences: false).prefix { !$0.isEmpty }
            for word in words where word.hasPrefix("-") {
                takesValue[String(word.prefix { $0 != "," })] = words.contains { $0.hasPrefix("<") }
            }
        }
        self.takesValue = takesValue
    }

    /// The first option among these arguments that the command does not have. Several short ones in one are left to
    /// the parser.
    func firstUnknown(in arguments: [String]) -> String? {
        var isValue = false
        for argument in arguments {
            if argument == "--" { return nil }
            defer { isValue = takesValue[argument] == true }
            guard !isValue, argument.hasPrefix("--") || argument.hasPrefix("-") && argument.count == 2 else { continue }
            let name = String(argument.prefix { $0 != "=" })
            if takesValue[name] == nil { return name }
        }
        return nil
    }

    /// Those that may have been meant.
    func nearest(to name: String) -> [String] {
        Suggestion.nearest(
            to: String(name.drop { $0 == "-" }),
            among: takesValue.keys.filter { $0.hasPrefix("--") }.sorted().map { (String($0.dropFirst(2)), $0) })
    }
}
