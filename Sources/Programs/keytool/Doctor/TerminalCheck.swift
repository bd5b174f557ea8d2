import Console

/// Where questions are asked and codes are drawn.
enum TerminalCheck {
    static func findings() -> [Finding] { [terminal, locale] }

    private static var terminal: Finding {
        guard ControllingTerminal() != nil else {
            return Finding("terminal", .ok, "no terminal: secrets must come from files, commands or credentials")
        }
        guard let size = TerminalSize.current else { return Finding("terminal", .ok, "stdout is not a terminal") }
        let (columns, rows) = QRPlacement(.auto).usualSize
        let isEnough = size.columns >= columns && size.rows >= rows
        return Finding(
            "terminal", isEnough ? .ok : .warning,
            "\(size.columns) columns, \(size.rows) rows"
                + (isEnough ? "" : ": too small for a QR code (\(columns) x \(rows))"))
    }

    private static var locale: Finding {
        Environment.isUTF8
            ? Finding("locale", .ok, "UTF-8") : Finding("locale", .ok, "not UTF-8: QR codes are drawn with blanks")
    }
}
