import Threema

extension ControllingTerminal {
    /// Asks for a backup code: group by group, several groups to a line, or pasted whole. Each line is checked
    /// when it is entered; where something is wrong with it, it is asked for again.
    /// - Returns: nil where nothing was typed.
    /// - Throws: `IDBackupError.wrongLength` at the end of input; `SecretError.tooLong`.
    func askCode() throws -> String? {
        var entry = CodeEntry()
        try say("Type the code group by group, or paste all of it; - takes the last group back.")
        while !entry.isAll {
            guard let line = try askPasted(Self.question(entry)) else { break }
            let typed = line.filter { !$0.isWhitespace }
            if typed.isEmpty {
                if entry.mayBeAll { break }
                if entry.groups.isEmpty { return nil }
                Output.word("error", "group \(entry.next) is missing; Ctrl-D gives up")
            } else if typed.allSatisfy({ $0 == "-" }) {
                for _ in typed { entry.back() }
            } else {
                do {
                    try entry.take(line)
                } catch {
                    Output.word("error", Failure(error).message)
                    // The rest of a paste would be taken for the groups that come next.
                    dropPending()
                }
            }
        }
        if entry.groups.isEmpty { return nil }
        // Nobody is asked for the password of half a code.
        guard entry.isAll || entry.mayBeAll else {
            throw IDBackupError.wrongLength(characters: entry.characterCount, shortGroups: [])
        }
        return entry.text
    }

    private static func question(_ entry: CodeEntry) -> String {
        let again = entry.takenBack.map { " again (it was \($0))" } ?? ""
        guard !entry.groups.isEmpty else { return "Backup code\(again): " }
        return "Group \(entry.next)\(again)\(entry.mayBeAll ? ", or nothing if that is all" : ""): "
    }

    /// A line, or all lines of what a terminal says was pasted.
    private func askPasted(_ question: String) throws -> String? {
        guard var text = try askText(question) else { return nil }
        // A terminal that was told so by the program before us sets a paste between these.
        let (begin, end) = ("\u{1b}[200~", "\u{1b}[201~")
        while text.contains(begin), !text.contains(end), text.utf8.count < Self.maxLineBytes {
            guard let line = try askText("") else { break }
            text += "\n" + line
        }
        return text.replacing(begin, with: "").replacing(end, with: "")
    }
}
