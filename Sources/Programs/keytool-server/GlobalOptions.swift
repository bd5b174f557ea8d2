import ArgumentParser
import Console

/// The options that every command has, before or after its verb.
struct GlobalOptions: ParsableArguments {
    @OptionGroup var words: OutputOptions
    @OptionGroup var terminal: TerminalOptions
}
