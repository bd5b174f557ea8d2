package import Encodings
import Glibc

/// Where results and words go: results to stdout, words for people to stderr.
package struct Output {
    /// Whether only data, warnings and errors are printed.
    package let isQuiet: Bool
    /// Whether results and errors are JSON.
    package let isJSON: Bool
    /// Whether more is said than most people want.
    package let isVerbose: Bool
    private let color: ColorMode
    /// What `busy` shows; nil if nobody would see it.
    package let progress: Progress?

    init(_ options: OutputOptions, color: ColorMode) {
        isQuiet = options.quiet
        isJSON = options.json
        isVerbose = options.verbose
        self.color = color
        // What is said meanwhile would be wiped.
        progress = isQuiet || isJSON || isVerbose ? nil : Progress()
        if isJSON { OutOfMemory.sayInJSON() }
    }

    // MARK: Results

    /// Prints what the command was asked for, even when quiet.
    /// - Throws: `OutputError`.
    package func data(_ lines: [String], json: @autoclosure () -> JSONValue) throws {
        try print(isJSON ? [Self.text(json())] : lines)
    }

    /// Prints that the command did what it was asked for, except when quiet.
    /// - Throws: `OutputError`.
    package func done(_ lines: [String], json: @autoclosure () -> JSONValue) throws {
        guard !isQuiet else { return }
        try data(lines, json: json())
    }

    /// Prints lines on stdout, whatever the options say.
    /// - Throws: `OutputError`.
    package func print(_ lines: [String]) throws {
        try Self.write(lines.map { $0 + "\n" }.joined(), to: STDOUT_FILENO)
    }

    /// Writes the bytes of a result to stdout, as they are.
    /// - Throws: `OutputError`.
    package static func writeResult(_ bytes: Span<UInt8>) throws { try write(bytes, to: STDOUT_FILENO) }

    // MARK: Words

    /// Warns of something that did not stop the command. Also said when quiet.
    package func warn(_ message: String) { Self.word("warning", message, isColored: isColored) }

    /// Says something to people; not when quiet, and not to a program. It may be called while `busy` works: the line of
    /// the spinner is wiped, and drawn again below.
    package func note(_ message: String) {
        guard !isQuiet, !isJSON else { return }
        Self.words("\(Program.name): \(message)", after: progress?.isDrawn == true ? Progress.wipe : "")
    }

    /// Says what to do next, or what is worth knowing; not when quiet, and not to a program.
    package func hint(_ message: String) {
        guard !isQuiet, !isJSON else { return }
        Self.word("hint", message, isColored: isColored)
    }

    /// One line on stderr, whatever the options say: for the log of a server. Best effort; errors are ignored.
    package static func line(_ text: String) { try? write(text.withoutControls + "\n", to: STDERR_FILENO) }

    private var isColored: Bool { isColored(STDERR_FILENO) }

    /// Whether results on stdout are coloured.
    package var isResultColored: Bool { isColored(STDOUT_FILENO) }

    private func isColored(_ descriptor: Int32) -> Bool {
        switch color {
        case .always: true
        case .never: false
        case .auto: isatty(descriptor) == 1 && Environment.value("NO_COLOR") == nil
        }
    }

    /// One line on stderr; several on a terminal that is too narrow. Best effort; errors are ignored.
    package static func word(_ kind: String, _ message: String, isColored: Bool = false) {
        words("\(Program.name): \(kind): \(message.withoutControls)", bold: isColored ? "\(kind):" : nil)
    }

    /// - Parameters:
    ///   - wipe: what erases the line that a spinner has drawn; written at once with the text, which no frame divides.
    ///   - bold: a part that is to stand out.
    private static func words(_ text: String, after wipe: String = "", bold: String? = nil) {
        let columns = isatty(STDERR_FILENO) == 1 ? TerminalSize(of: STDERR_FILENO).columns : nil
        var text = WrappedWords.lines(text, columns: columns)
        if let bold, let range = text.firstRange(of: bold) {
            text.replaceSubrange(range, with: "\u{1b}[1m\(bold)\u{1b}[0m")
        }
        try? write(wipe + text + "\n", to: STDERR_FILENO)
    }

    // MARK: Bytes

    package static func text(_ value: JSONValue) -> String { String(decoding: value.encoded, as: UTF8.self) }

    /// Writes all of it.
    /// - Throws: `OutputError`.
    package static func write(_ text: String, to descriptor: Int32) throws {
        try write(Array(text.utf8).span, to: descriptor)
    }

    static func write(_ bytes: Span<UInt8>, to descriptor: Int32) throws {
        var start = 0
        while start < bytes.count {
            let written = unsafe bytes.withUnsafeBufferPointer { buffer in
                unsafe Glibc.write(descriptor, buffer.baseAddress! + start, buffer.count - start)
            }
            if written < 0 && errno == EINTR { continue }
            guard written > 0 else { throw OutputError.notWritten(code: errno) }
            start += written
        }
    }
}

/// Why a result was not printed.
package enum OutputError: Error {
    /// stdout did not take the result; `code` is the errno.
    case notWritten(code: Int32)
}

extension String {
    /// Text from elsewhere for a terminal: without control characters, at most 80 characters (Unicode scalars). Where
    /// it was cut it ends with "…".
    package var printable: String {
        let isCut = unicodeScalars.count > Self.lineLength
        let shown = isCut ? String(unicodeScalars.prefix(Self.lineLength - 1)) + "…" : self
        return shown.withoutControls
    }

    private static let lineLength = 80

    /// What may come from anywhere, for example a path, without what would move a terminal's cursor or turn its line.
    fileprivate var withoutControls: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.map {
                    [.control, .format, .lineSeparator, .paragraphSeparator].contains($0.properties.generalCategory)
                        ? "?" : $0
                }))
    }
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
