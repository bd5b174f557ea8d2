import Encodings
import Threema

extension ControllingTerminal {
    /// Asks for a backup code: group by group, several groups to a line, or pasted whole. Each line is
    /// checked when it is entered, and asked for again where it has a character that no code has.
    /// - Returns: what was typed; nil where nothing was. An empty line ends an incomplete code.
    func askCode() throws -> String? {
        var text = ""
        while true {
            let code = try GroupedCode(parsing: text)
            let count = code.characters.count
            let mayBeAll = count == IDBackup.Scheme.pbkdf2.characterCount
            let mayBeLonger = IDBackup.mayBeArgon2id(code)
            if mayBeAll && !mayBeLonger || count >= IDBackup.Scheme.argon2id.characterCount { return text }
            let question =
                text.isEmpty
                ? "Backup code: "
                : "From group \(count / GroupedCode.groupSize + 1)\(mayBeAll ? ", or nothing if that is all" : ""): "
            guard let line = try askText(question), !line.isEmpty else { return text.isEmpty ? nil : text }
            do throws(GroupedCodeError) {
                // Each line is read on its own first: a paper's line break is no reason to join two groups.
                _ = try GroupedCode(parsing: text + "\n" + line)
                text += "\n" + line
            } catch {
                Output.word("error", error.failure.message)
            }
        }
    }
}
