import CLinux
import Glibc

/// The size of the terminal that stdout is.
struct TerminalSize {
    let columns: Int
    let rows: Int

    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// What the terminal says; else `COLUMNS` and `LINES`, else 80 × 24. Nil where stdout is no terminal.
    static var current: TerminalSize? {
        guard isTerminal else { return nil }
        var size = winsize()
        if unsafe keytool_window_size(STDOUT_FILENO, &size) == 0, size.ws_col > 0, size.ws_row > 0 {
            return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
        }
        return TerminalSize(columns: number("COLUMNS") ?? 80, rows: number("LINES") ?? 24)
    }

    private static func number(_ name: String) -> Int? {
        Environment.value(name).flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
    }
}
