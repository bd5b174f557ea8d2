import CLinux
import Glibc

/// The size of a terminal.
package struct TerminalSize {
    /// Characters in a line.
    package let columns: Int
    /// Lines.
    package let rows: Int

    /// Whether stdout is a terminal.
    package static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// The size of the terminal that stdout is; nil if it is not a terminal.
    package static var current: TerminalSize? {
        guard isTerminal else { return nil }
        return TerminalSize(of: STDOUT_FILENO)
    }

    init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }

    /// What the terminal says; else `COLUMNS` and `LINES`, else 80 × 24.
    init(of descriptor: Int32) {
        var size = winsize()
        if unsafe keytool_window_size(descriptor, &size) == 0, size.ws_col > 0, size.ws_row > 0 {
            self.init(columns: Int(size.ws_col), rows: Int(size.ws_row))
        } else {
            self.init(columns: Self.number("COLUMNS") ?? 80, rows: Self.number("LINES") ?? 24)
        }
    }

    private static func number(_ name: String) -> Int? {
        Environment.value(name).flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
    }
}
