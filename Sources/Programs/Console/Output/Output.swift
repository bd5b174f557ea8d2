package import Encodings

/// Where results and words go: results to stdout, words for people to stderr.
///
/// What a command shows has `words` or `lines` for people, and a `name`, `members` or `json` for programs.
package struct Output {
    /// Whether only data, warnings and errors are printed.
    package let isQuiet: Bool
    /// Whether results and errors are JSON.
    package let isJSON: Bool
    /// Whether more is said than most people want.
    package let isVerbose: Bool
    /// What `busy` shows; nil if nobody would see it.
    package let progress: Progress?

    init(_ options: OutputOptions) {
        isQuiet = options.quiet
        isJSON = options.json
        isVerbose = options.verbose
        // What is said meanwhile would be wiped.
        progress = isQuiet || isJSON || isVerbose ? nil : Progress()
        if isJSON { OutOfMemory.sayInJSON() }
    }

    // MARK: Results

    /// Prints what the command was asked for, even when quiet.
    /// - Throws: `OutputError`.
    package func data(_ lines: [String], json: @autoclosure () -> JSONValue) throws {
        try data(drawn: lines.map(StyledLine.init), json: json())
    }

    /// The same for lines with colours.
    /// - Throws: `OutputError`.
    package func data(drawn lines: [StyledLine], json: @autoclosure () -> JSONValue) throws {
        try isJSON ? Self.print(toCopy: [Self.text(json())]) : print(drawn: lines)
    }

    /// The same for lines that are copied to another place, so they are not broken.
    /// - Throws: `OutputError`.
    package func data(toCopy lines: [String], json: @autoclosure () -> JSONValue) throws {
        try Self.print(toCopy: isJSON ? [Self.text(json())] : lines)
    }

    /// Prints that the command did what it was asked for, except when quiet.
    /// - Throws: `OutputError`.
    package func done(_ lines: [String], json: @autoclosure () -> JSONValue) throws {
        guard !isQuiet else { return }
        try data(lines, json: json())
    }

    /// The same for lines with colours.
    /// - Throws: `OutputError`.
    package func done(drawn lines: [StyledLine], json: @autoclosure () -> JSONValue) throws {
        guard !isQuiet else { return }
        try data(drawn: lines, json: json())
    }

    /// Prints lines on stdout, whatever the options say.
    /// - Throws: `OutputError`.
    package func print(_ lines: [String]) throws { try print(drawn: lines.map(StyledLine.init)) }

    /// The same for lines with colours.
    /// - Throws: `OutputError`.
    package func print(drawn lines: [StyledLine]) throws { try Outlet.results.write(lines) }

    /// Prints lines as they are, not broken.
    /// - Throws: `OutputError`.
    package static func print(toCopy lines: [String]) throws {
        try Outlet.results.write(lines.map(StyledLine.init), as: .verbatim)
    }

    /// Prints the rows of a table, each with CR LF at its end. On anything but a terminal they are not changed.
    /// - Throws: `OutputError`.
    package func print(table rows: [String]) throws {
        try Outlet.results.write(rows.map(StyledLine.init), as: .table)
    }

    /// Writes the bytes of a result to stdout: as they are, but on a terminal with control characters shown.
    /// - Throws: `OutputError`.
    package static func writeResult(_ bytes: Span<UInt8>) throws { try Outlet.results.write(bytes: bytes) }

    // MARK: Words

    /// Warns of something that did not stop the command. Also said when quiet.
    package func warn(_ message: String) { Self.word("warning", message) }

    /// Says something to people; not when quiet, and not to a program. It may be called while `busy` works: the line of
    /// the spinner is wiped, and drawn again below.
    package func note(_ message: String) {
        guard !isQuiet, !isJSON else { return }
        let wipe: StaticString = progress?.isDrawn == true ? Progress.wipe : ""
        try? Outlet.words.write([StyledLine("\(Program.name): \(message)")], after: wipe)
    }

    /// Says what to do next, or what is worth knowing; not when quiet, and not to a program.
    package func hint(_ message: String) {
        guard !isQuiet, !isJSON else { return }
        Self.word("hint", Hint(message).text)
    }

    /// Lines on stderr, whatever the options say: for help, and for the log of a server. Best effort; errors are
    /// ignored.
    package static func say(_ lines: [String]) {
        try? Outlet.words.write(lines.map(StyledLine.init), as: .verbatim)
    }

    /// Whether results on stdout are coloured.
    package static var isResultColored: Bool { ColorMode.isWanted(on: .results) }

    /// One line on stderr; several on a terminal that is too narrow. Best effort; errors are ignored.
    /// - Parameter kind: error, warning or hint.
    package static func word(_ kind: String, _ message: String) {
        let label = ColorMode.isWanted(on: .words) ? StyledLine.bold(kind + ":") : StyledLine(kind + ":")
        try? Outlet.words.write([StyledLine(Program.name + ": ").followed(by: label).followed(by: " " + message)])
    }

    /// One JSON document on stderr. Best effort; errors are ignored.
    static func say(json: JSONValue) { say([text(json)]) }

    static func text(_ value: JSONValue) -> String { String(decoding: value.encodedForOutput, as: UTF8.self) }
}

extension JSONValue {
    /// A result: the members common to all, then its own in the given order; nil ones are left out.
    package static func result(_ command: String, _ members: [(String, JSONValue?)]) -> JSONValue {
        .members([("schema", .string(schema)), ("command", .string(command))] + members)
    }

    /// An object of the members that are not nil.
    package static func members(_ members: [(String, JSONValue?)]) -> JSONValue {
        .object(members.compactMap { name, value in value.map { JSONValue.Member(name, $0) } })
    }

    static var schema: String { Program.name + "/1" }
}

extension String {
    /// Text from elsewhere for a line: at most 80 characters (Unicode scalars). Where it was cut it ends with "…". What
    /// prints it shows its control characters on a terminal.
    package var printable: String {
        guard unicodeScalars.count > Self.lineLength else { return self }
        return String(unicodeScalars.prefix(Self.lineLength - 1)) + "…"
    }

    private static let lineLength = 80
}
