import ArgumentParser

enum ColorMode: String, ExpressibleByArgument, CaseIterable {
    case auto, always, never
}

/// The options that every command has, before or after its verbs.
struct GlobalOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Print nothing on success.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Print more: the exit code of an error, and each request to a server.")
    var verbose = false

    @Flag(help: "Print one JSON document. An error is one JSON line on stderr.")
    var json = false

    @Option(
        help: ArgumentHelp("The directory of the keystore (\(Self.keystoreVariable)).", valueName: "dir"),
        completion: .directory)
    var keystore: String?

    @Flag(help: "Never ask a question. Fail if an answer is needed.")
    var noInput = false

    @Option(help: ArgumentHelp("When to use colours.", valueName: "when"))
    var color: ColorMode?

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
        merged.quiet = quiet || earlier.quiet
        merged.verbose = verbose || earlier.verbose
        merged.json = json || earlier.json
        merged.noInput = noInput || earlier.noInput
        merged.keystore = keystore ?? earlier.keystore
        merged.color = color ?? earlier.color
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
