/// Words for people, broken between words where they would run over the terminal's edge.
enum WrappedWords {
    private static let indent = "  "

    /// - Parameters:
    ///   - text: one line. Escape sequences that set a colour take no room.
    ///   - columns: the terminal's; nil leaves the line as it is.
    /// - Returns: one line or several; those after the first are indented. A word that is too long for a line of its
    ///   own is left whole.
    static func lines(_ text: String, columns: Int?) -> String {
        guard let columns, text.utf8.count > columns, width(text) > columns else { return text }
        var lines: [String] = []
        var line = ""
        var (lineWidth, isFirst) = (0, true)
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            let width = width(word)
            // The blanks before the first word are its own.
            if !isFirst, lineWidth + 1 + width > columns, width > 0 {
                lines.append(String(line.reversed().drop { $0 == " " }.reversed()))
                line = indent + word
                lineWidth = indent.count + width
            } else {
                line += (isFirst ? "" : " ") + word
                lineWidth += (isFirst ? 0 : 1) + width
            }
            isFirst = false
        }
        return (lines + [line]).joined(separator: "\n")
    }

    /// Characters that take room: all but the sequences ESC [ … m.
    private static func width(_ text: some StringProtocol) -> Int {
        guard text.utf8.contains(0x1b) else { return text.count }
        var plain = String.UnicodeScalarView()
        var isInSequence = false
        for scalar in text.unicodeScalars {
            if scalar == "\u{1b}" { isInSequence = true }
            if !isInSequence { plain.append(scalar) }
            if scalar == "m" { isInSequence = false }
        }
        return String(plain).count
    }
}
