import Encodings
import Glibc

/// stdout, stderr, or the terminal on which questions are asked. Every byte for them goes through this type, which lets
/// no text from elsewhere control a terminal: its control and format characters are shown instead. Escape sequences are
/// this program's own (`StyledLine.drawn`, `sequence`).
package struct Outlet {
    private let descriptor: Int32

    /// Results; on anything but a terminal they are data, and are not changed.
    package static let results = Outlet(STDOUT_FILENO)
    /// Words for people; text in them is shown, whatever reads them.
    static let words = Outlet(STDERR_FILENO)

    /// - Parameter descriptor: of the terminal, open.
    init(terminal descriptor: Int32) { self.init(descriptor) }

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Characters in a line of the terminal; nil if it is none.
    var columns: Int? { isTerminal ? TerminalSize(of: descriptor).columns : nil }

    // MARK: Text

    /// How lines are printed.
    enum Form {
        /// A line of text for people: on a terminal broken at blanks. A line end in it is shown everywhere.
        case text
        /// Lines to copy: they are not broken.
        case verbatim
        /// Rows of a format that has its own rules for line ends; they end in CR LF, on a terminal in LF.
        case table
    }

    /// Writes lines in one call, which no other thread divides.
    /// - Parameter sequence: of this program, before them.
    /// - Throws: `OutputError`.
    func write(_ lines: [StyledLine], as form: Form = .text, after sequence: StaticString = "") throws(OutputError) {
        let columns = form == .text ? self.columns : nil
        let end = form == .table && !isTerminal ? "\r\n" : "\n"
        let text = lines.map { WrappedWords.lines($0.rendered { shown($0, form) }, columns: columns) + end }.joined()
        try put("\(sequence)" + text)
    }

    /// Writes a question, broken at blanks; the answer stands behind it.
    /// - Throws: `OutputError`.
    func ask(_ question: String) throws(OutputError) {
        try put(WrappedWords.lines(VisibleText.shown(question), columns: columns))
    }

    /// Writes the frame of a spinner over the line: no more than fits, because one that wraps could not be wiped.
    /// - Throws: `OutputError`.
    func redraw(_ line: String, columns: Int) throws(OutputError) {
        try put("\r\(VisibleText.shown(line).prefix(max(0, columns - 1)))\u{1b}[K")
    }

    private func shown(_ text: String, _ form: Form) -> String {
        // What is not a result is read by people, also in a file.
        if descriptor != STDOUT_FILENO || isTerminal { return VisibleText.shown(text) }
        return form == .table ? text : VisibleText.line(text)
    }

    // MARK: Bytes

    /// Writes the bytes of a result; on a terminal with what would control it shown, except tabs and line ends.
    /// - Parameter bytes: may be secret. They are not copied.
    /// - Throws: `OutputError`.
    func write(bytes: Span<UInt8>) throws(OutputError) {
        guard isTerminal else { return try put(bytes) }
        var failure: OutputError?
        ControlCharacters.forEachPiece(of: bytes) { piece in
            guard failure == nil else { return }
            do throws(OutputError) {
                switch piece {
                case .plain(let range): try put(bytes.extracting(range))
                case .control("\t"): try put("\t")
                case .control("\n"): try put("\n")
                case .control(let scalar): try put(VisibleText.spelled(scalar))
                case .strange(let byte): try put(VisibleText.spelled(byte))
                }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    /// Writes this program's own bytes in one call, so that no signal comes between them. Async-signal-safe.
    func sequence(_ sequence: StaticString) {
        _ = unsafe Glibc.write(descriptor, sequence.utf8Start, sequence.utf8CodeUnitCount)
    }

    /// The same for words that were rendered before. Async-signal-safe.
    func lastWords(_ words: UnsafeMutableBufferPointer<UInt8>) {
        _ = unsafe Glibc.write(descriptor, words.baseAddress, words.count)
    }

    private func put(_ text: String) throws(OutputError) { try put(Array(text.utf8).span) }

    private func put(_ bytes: Span<UInt8>) throws(OutputError) {
        var start = 0
        while start < bytes.count {
            let written = unsafe bytes.withUnsafeBufferPointer { buffer in
                unsafe Glibc.write(descriptor, buffer.baseAddress! + start, buffer.count - start)
            }
            if written < 0 && errno == EINTR { continue }
            guard written > 0 else { throw errno == EPIPE ? .readerLeft : .notWritten(code: errno) }
            start += written
        }
    }
}

/// Why a result was not printed.
package enum OutputError: Error {
    /// stdout did not take the result; `code` is the errno.
    case notWritten(code: Int32)
    /// stdout is a pipe, and nobody reads it any more, as in `keytool … | head -1`.
    case readerLeft
}
