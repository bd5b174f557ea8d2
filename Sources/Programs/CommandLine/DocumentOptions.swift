package import ArgumentParser
package import Console

/// Where a command writes a document.
package struct DocumentOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Write to a new file (0600), or - for stdout.", valueName: "file"), completion: .file())
    package var output: String

    @Flag(help: "Overwrite an existing file.")
    package var force = false

    package init() {}

    /// - Parameter old: as for `ResultFile.init`.
    /// - Throws: as `DocumentTarget.init`.
    package func target(old: ResultFile.Old = .unchanged, outside reserved: ReservedDirectory?) throws -> DocumentTarget
    {
        try DocumentTarget(output, mayReplace: force, old: old, outside: reserved)
    }
}
