import ArgumentParser

/// What a program says to those who type its name only: where to begin, and its nouns by group, a line each. It fits on a
/// screen of 24 rows and 80 columns, together with the error below it.
struct Overview {
    let lines: [String]

    /// - Returns: nil for a program whose nouns are in no groups: its help is short enough.
    init?(of grammar: CommandGrammar) {
        let configuration = grammar.root.configuration
        let groups = configuration.groupedSubcommands
        guard !groups.isEmpty else { return nil }
        let width = groups.flatMap(\.subcommands).map { $0._commandName.count }.max() ?? 0
        lines =
            ["\(configuration.abstract) To begin:"] + grammar.beginning.map { "  " + $0 }
            + groups.flatMap { group in
                ["\(group.name):"]
                    + group.subcommands.map { noun in
                        let name = noun._commandName
                        return "  " + name + String(repeating: " ", count: width + 2 - name.count)
                            + noun.configuration.abstract
                    }
            }
    }
}
