package import ArgumentParser

/// When words are coloured.
package enum ColorMode: String, ExpressibleByArgument, CaseIterable {
    case auto, always, never
}

/// How a command uses the terminal: options of every command.
package struct TerminalOptions: ParsableArguments {
    /// Whether questions are forbidden.
    @Flag(help: "Never ask a question. Fail if an answer is needed.")
    package var noInput = false

    /// Nil if it is not given.
    @Option(help: ArgumentHelp("When to use colours.", valueName: "when"))
    package var color: ColorMode?

    /// None of them given.
    package init() {}

    /// These options if they are given, else those that stood before the verb.
    package func merged(with earlier: TerminalOptions) -> TerminalOptions {
        var merged = self
        merged.noInput = noInput || earlier.noInput
        merged.color = color ?? earlier.color
        return merged
    }
}
