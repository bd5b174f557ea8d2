package import ArgumentParser

/// The commands of a program, and what is known about them beside what the parser knows: for the words about a
/// command line that is wrong.
package struct CommandGrammar {
    let root: any ParsableCommand.Type
    let commonNames: CommonNames
    let valuedOptions: [String]
    let letters: String
    let forms: [String: String]
    let details: String
    let beginning: [String]
    let examples: () -> [String]
    let elsewhere: [String]
    let opened: () -> [(name: String, version: String?)]

    /// - Parameters:
    ///   - root: the program; its subcommands are nouns, and theirs are verbs.
    ///   - commonNames: what other programs call the verbs.
    ///   - valuedOptions: the program's own options that every command has and that take a value, with their dashes.
    ///   - letters: those of short options that only some commands have.
    ///   - forms: how values are written, by the names that stand for them in the help: "a number and a unit" for
    ///     "duration".
    ///   - details: what `--verbose` prints beside the exit code of an error.
    ///   - beginning: where to begin, for those who type the program's name only.
    ///   - examples: how verbs are typed, one line each, for their help.
    ///   - opened: the libraries that the program opens when it needs them, each with its version, or nil where it is missing.
    ///   - elsewhere: verbs of this program's nouns that another program has, with its name: "other noun verb".
    package init(
        root: any ParsableCommand.Type, commonNames: CommonNames, valuedOptions: [String],
        letters: String, forms: [String: String], details: String, beginning: [String],
        examples: @autoclosure @escaping () -> [String] = [], elsewhere: [String] = [],
        opened: @autoclosure @escaping () -> [(name: String, version: String?)] = []
    ) {
        self.root = root
        self.commonNames = commonNames
        self.valuedOptions = valuedOptions
        self.letters = letters
        self.forms = forms
        self.details = details
        self.beginning = beginning
        self.examples = examples
        self.elsewhere = elsewhere
        self.opened = opened
    }

    var name: String { root._commandName }

    /// Whether an option that every command has is followed by its value.
    func takesValue(_ argument: String) -> Bool { (valuedOptions + Self.valuedOptions).contains(argument) }

    /// Whether an argument is an option that every command has, or help, together with its value if it takes one.
    func isComplete(_ argument: String) -> Bool {
        ["--quiet", "--verbose", "--json", "--no-input", "--help"].contains(argument)
            // With nothing behind the sign, the parser takes the next argument for the value.
            || (valuedOptions + Self.valuedOptions).contains { argument.hasPrefix($0 + "=") && argument != $0 + "=" }
            || (argument.hasPrefix("-") && argument != "-" && argument.dropFirst().allSatisfy(Self.letters.contains))
    }

    /// Whether this is several short options in one, with help among them, of which one does not exist. The parser
    /// takes any cluster with an h in it for a question, `-nh` for one.
    func isStrangeQuestion(_ argument: String) -> Bool {
        argument.hasPrefix("-") && !argument.hasPrefix("--") && argument.contains("h") && argument != "-help"
            && !argument.dropFirst().allSatisfy((Self.letters + letters).contains)
    }

    /// Of `OutputOptions`, and help.
    private static var letters: String { "qvh" }
    /// Of `TerminalOptions`.
    private static var valuedOptions: [String] { ["--color"] }
}
