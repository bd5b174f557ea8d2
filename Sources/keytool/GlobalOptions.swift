import ArgumentParser

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

    /// Those of these options that take a value.
    static let valued = [keystoreName, "--color"]

    /// Whether an argument is one of these options or help, together with its value if it takes one.
    static func isComplete(_ argument: String) -> Bool {
        ["--quiet", "--verbose", "--json", "--no-input", "--help"].contains(argument)
            || valued.contains { argument.hasPrefix($0 + "=") }
            || (argument.hasPrefix("-") && argument.dropFirst().allSatisfy { "qvh".contains($0) })
    }

    /// These options where they are given, else those that stood before the verb.
    func merged(with earlier: GlobalOptions) -> GlobalOptions {
        var merged = self
        merged.words = words.merged(with: earlier.words)
        merged.terminal = terminal.merged(with: earlier.terminal)
        merged.keystore = keystore ?? earlier.keystore
        return merged
    }
}

/// A noun, with the options that stood before and after it.
protocol Noun: ParsableCommand {
    var root: Keytool { get }
    var globals: GlobalOptions { get }
}

extension IDCommand: Noun {}
extension BackupCommand: Noun {}
extension SafeCommand: Noun {}
extension KeyCommand: Noun {}
extension RevokeCommand: Noun {}
extension QRCommand: Noun {}

/// A leaf command.
protocol Verb: ParsableCommand {
    associatedtype Parent: Noun
    var noun: Parent { get }
    var globals: GlobalOptions { get }
    /// Does the work; what it refuses it throws.
    func run(_ session: Session) throws
}

extension Verb {
    func run() throws {
        try run(Session(globals.merged(with: noun.globals).merged(with: noun.root.globals)))
    }
}
