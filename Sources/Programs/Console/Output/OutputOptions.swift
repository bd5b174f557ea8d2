import ArgumentParser

/// What a command prints: options of every command.
package struct OutputOptions: ParsableArguments {
    /// What `--verbose` prints beside the exit code of an error. Written once, before the arguments are parsed.
    nonisolated(unsafe) package static var details = "details"

    /// Whether only data and errors are printed.
    @Flag(name: .shortAndLong, help: "Print nothing on success.")
    package var quiet = false

    /// Whether more is printed.
    @Flag(name: .shortAndLong, help: "Print more: the exit code of an error, and \(unsafe Self.details).")
    package var verbose = false

    /// Whether a program reads the output.
    @Flag(help: "Print one JSON document. An error is one JSON line on stderr.")
    package var json = false

    /// None of them given.
    package init() {}
}
