import ArgumentParser
import Console

/// The options that every command has, before or after its verb.
struct GlobalOptions: ParsableArguments {
    @OptionGroup var words: OutputOptions
    @OptionGroup var terminal: TerminalOptions

    /// These options where they are given, else those that stood before the verb.
    func merged(with earlier: GlobalOptions) -> GlobalOptions {
        var merged = self
        merged.words = words.merged(with: earlier.words)
        merged.terminal = terminal.merged(with: earlier.terminal)
        return merged
    }
}
