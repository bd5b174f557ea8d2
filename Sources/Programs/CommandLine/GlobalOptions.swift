package import ArgumentParser
package import Console

/// The options that every command has, before or after its verbs.
package struct GlobalOptions: ParsableArguments {
    package init() {}

    @OptionGroup package var words: OutputOptions

    @Option(
        help: ArgumentHelp("The directory of the keystore (\(Self.keystoreVariable)).", valueName: "dir"),
        completion: .directory)
    package var keystore: String?

    @OptionGroup package var terminal: TerminalOptions

    package static let keystoreVariable = "KEYTOOL_KEYSTORE"

    package static let keystoreName = "--keystore"
}
