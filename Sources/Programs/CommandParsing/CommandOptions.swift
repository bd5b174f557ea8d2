import ArgumentParser

/// The options that a command has, read from its help: the parser does not tell them.
struct CommandOptions {
    /// Each name with its dashes, and whether a value follows it.
    private let takesValue: [String: Bool]
    /// The values of options that take one of several, each with its option.
    private let choices: [(value: String, option: String)]

    init(of command: any ParsableCommand.Type, in grammar: CommandGrammar) {
        var takesValue = ["--help": false, "-h": false, "--version": false, "--generate-completion-script": true]
        var choices: [(value: String, option: String)] = []
        for line in grammar.root.helpMessage(for: command, columns: 200).split(separator: "\n") {
            // "  -o, --output <file>     Write the code to a new file."
            guard line.hasPrefix("  -") else { continue }
            let words = line.dropFirst(2).split(separator: " ", omittingEmptySubsequences: false).prefix { !$0.isEmpty }
            for word in words where word.hasPrefix("-") {
                takesValue[String(word.prefix { $0 != "," })] = words.contains { $0.hasPrefix("<") }
            }
            // "  --format <format>       How to print them. (values: text, csv, vcard; default: text)"
            if let option = words.first(where: { $0.hasPrefix("--") }),
                let start = line.firstRange(of: "(values: ")?.upperBound
            {
                choices += line[start...].prefix { $0 != ";" && $0 != ")" }.split(separator: ", ")
                    .map { (String($0), String(option)) }
            }
        }
        self.choices = choices
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

    /// Those that may have been meant: the nearest ones, those that begin with the same words, or those that take the
    /// word as their value.
    func nearest(to name: String) -> [String] {
        let names = takesValue.keys.filter { $0.hasPrefix("--") }.sorted()
        let word = String(name.drop { $0 == "-" })
        let nearest = Suggestion.nearest(to: word, among: names.map { (String($0.dropFirst(2)), $0) })
        guard nearest.isEmpty, name.hasPrefix("--") else { return nearest }
        let longer = names.filter { $0.hasPrefix(name + "-") }
        guard longer.isEmpty else { return Array(longer.prefix(Self.mostLonger)) }
        return choices.filter { $0.value == word }.map { "\($0.option) \($0.value)" }
    }

    /// More would be no suggestion.
    private static let mostLonger = 3
}
