import ArgumentParser
import Console

/// Where a command writes a document that it writes only if that is asked for, or under a name of its own choice.
struct OptionalDocumentOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Write to a new file (0600), or - for stdout.", valueName: "file"), completion: .file())
    var output: String?

    @Flag(help: "Overwrite an existing file.")
    var force = false

    /// - Parameter name: the file if none is named.
    /// - Returns: nil if there is neither.
    /// - Throws: as `DocumentTarget.init`.
    func target(or name: String? = nil, outside reserved: ReservedDirectory?) throws -> DocumentTarget? {
        try (output ?? name).map { try DocumentTarget($0, mayReplace: force, outside: reserved) }
    }
}
