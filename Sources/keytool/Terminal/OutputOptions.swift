import ArgumentParser

/// What a command prints: options of every command.
struct OutputOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Print nothing on success.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Print more: the exit code of an error, and each request to a server.")
    var verbose = false

    @Flag(help: "Print one JSON document. An error is one JSON line on stderr.")
    var json = false

    /// These options and those that stood before the verb.
    func merged(with earlier: OutputOptions) -> OutputOptions {
        var merged = self
        merged.quiet = quiet || earlier.quiet
        merged.verbose = verbose || earlier.verbose
        merged.json = json || earlier.json
        return merged
    }
}
