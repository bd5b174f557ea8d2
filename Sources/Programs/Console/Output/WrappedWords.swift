/// Words for people, broken between words where they would run over the terminal's edge.
enum WrappedWords {
    private static let indent = "  "

    /// - Parameters:
    ///   - columns: the terminal's; nil leaves the line as it is.
    /// - Returns: one line or several; those after the first are indented. A word that is too long for a line of its
    ///   own is left whole.
    static func lines(_ text: String, columns: Int?) -> String {
        guard let columns, text.count > columns else { return text }
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            let isFirst = line.isEmpty || line == indent
            if !isFirst, line.count + 1 + word.count > columns {
                lines.append(line)
                line = indent + word
            } else {
                line += (isFirst ? "" : " ") + word
            }
        }
        return (lines + [line]).joined(separator: "\n")
    }
}
