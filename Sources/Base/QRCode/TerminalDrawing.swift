/// A QR code as text for a terminal: dark on light with explicit colours on each line, whatever the
/// theme, because readers fail on inverted codes and on codes without their quiet zone.
package struct TerminalDrawing: Sendable {
    /// How a module is drawn.
    package enum Mode: String, Sendable, CaseIterable {
        /// Half blocks: one column and half a row a module.
        case utf8
        /// The same without colours, so without any escape. Dark is the foreground, so readers need a light background.
        case uncoloured
        /// Coloured blanks, two columns a module: for fonts and consoles that spoil half blocks.
        case blocks
        /// `##` and blanks, two columns a module, without any escape: for what shows no colours. Dark is
        /// the foreground, so readers need a light background.
        case ascii
    }

    private let matrix: QRMatrix
    private let mode: Mode

    /// Prepares a drawing, whose size is in `columns` and `rows`.
    package init(_ matrix: QRMatrix, mode: Mode) {
        self.matrix = matrix
        self.mode = mode
    }

    private var isHalf: Bool { mode == .utf8 || mode == .uncoloured }

    private var side: Int { matrix.size + 2 * QRMatrix.quietZone }

    /// Width in columns.
    package var columns: Int { isHalf ? side : 2 * side }

    /// Height in rows.
    package var rows: Int { isHalf ? (side + 1) / 2 : side }

    /// The lines without line endings. Each sets its colours and resets them at its end.
    package var lines: [String] {
        let range = -QRMatrix.quietZone..<matrix.size + QRMatrix.quietZone
        return switch mode {
        case .utf8, .uncoloured:
            stride(from: range.lowerBound, to: range.upperBound, by: 2).map { halfBlocks(row: $0, range) }
        case .blocks: range.map { blanks(row: $0, range) }
        case .ascii:
            range.map { row in range.map { matrix.isDark(row: row, column: $0) ? "##" : "  " }.joined() }
        }
    }

    // Colours 16 and 231 of the 256-colour cube: black and white that no theme redefines.
    private static let darkOnLight = "\u{1b}[38;5;16;48;5;231m"
    private static let darkGround = "\u{1b}[48;5;16m"
    private static let lightGround = "\u{1b}[48;5;231m"
    private static let reset = "\u{1b}[0m"

    private func halfBlocks(row: Int, _ columns: Range<Int>) -> String {
        var line = ""
        for column in columns {
            let cell =
                switch (matrix.isDark(row: row, column: column), matrix.isDark(row: row + 1, column: column)) {
                case (false, false): " "
                case (true, false): "\u{2580}"
                case (false, true): "\u{2584}"
                case (true, true): "\u{2588}"
                }
            line += cell
        }
        return mode == .uncoloured ? line : Self.darkOnLight + line + Self.reset
    }

    private func blanks(row: Int, _ columns: Range<Int>) -> String {
        var line = ""
        var previous: Bool?
        for column in columns {
            let isDark = matrix.isDark(row: row, column: column)
            if isDark != previous { line += isDark ? Self.darkGround : Self.lightGround }
            line += "  "
            previous = isDark
        }
        return line + Self.reset
    }
}
