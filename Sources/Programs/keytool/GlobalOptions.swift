import ArgumentParser
import Console

/// The options that every command has, before or after its verbs.
struct GlobalOptions: ParsableArguments {
    @OptionGroup var words: OutputOptions

    @Option(
        help: ArgumentHelp("The directory of the keystore (\(Self.keystoreVariable)).", valueName: "dir"),
        completion: .directory)
    var keystore: String?

    @OptionGroup var terminal: TerminalOptions

    static let keystoreVariable = "KEYTOOL_KEYSTORE"

    static let keystoreName = "--keystore"

    /// These options where they are given, else those that stood before the verb.
    func merged(with earlier: GlobalOptions) -> GlobalOptions {
        var merged = self
        merged.words = words.merged(with: earlier.words)
        merged.terminal = terminal.merged(with: earlier.terminal)
        merged.keystore = keystore ?? earlier.keystore
        return merged
    }
}
