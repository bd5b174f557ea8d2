package import Console
package import Encodings

/// The entries of a list. One damaged record does not hide the others: its error is reported, and stands in its place.
package struct Listing {
    /// For people.
    package private(set) var lines: [String] = []
    /// For programs.
    package private(set) var entries: [JSONValue] = []
    private var firstFailure: Failure?
    private let output: Output

    package init(_ output: Output) { self.output = output }

    /// Adds an entry.
    /// - Parameters:
    ///   - name: members that name it if it cannot be read.
    ///   - entry: reads it: its line and its members.
    package mutating func add(
        _ name: [(String, JSONValue?)], _ entry: () throws -> (line: String, members: [(String, JSONValue?)])
    ) {
        do {
            let (line, members) = try entry()
            lines.append(line)
            entries.append(.members(members))
        } catch {
            let failure = Failure(error)
            entries.append(.members(name + [("error", failure.json)]))
            if !output.isJSON { failure.report(isVerbose: output.isVerbose) }
            firstFailure = firstFailure ?? failure
        }
    }

    /// Prints the list.
    /// - Throws: `CommandFailure` with the first failure, which is reported already; what `print` throws.
    package func finish(_ print: () throws -> Void) throws {
        try output.finish(firstFailure, isReported: true, print)
    }
}
