import Console
import Encodings
import Shares
import Threema

/// A code that was typed.
struct TypedCode {
    let code: GroupedCode
    /// Whether a check word was compared with it.
    let isChecked: Bool
}

extension ControllingTerminal {
    /// Asks for a backup code: group by group, several groups to a line, or pasted whole; then for its check word.
    /// What is wrong is asked for again, and the rest stays.
    /// - Parameter expected: the check word, if it is known already.
    /// - Returns: nil where nothing was typed.
    /// - Throws: `IDBackupError.wrongLength` at the end of input; `SecretError.tooLong`; `Failure` (19) where
    ///   the input ends and the check word does not fit.
    func askCode(expecting expected: GroupedCode?) throws -> TypedCode? {
        var entry = CodeEntry()
        try say("Type the code group by group, or paste it as a whole. Type - to go back one group.")
        var word = expected
        var isAsked = expected != nil
        while let code = try complete(&entry) {
            if !isAsked {
                word = try askCheckWord()
                isAsked = true
            }
            guard let wanted = word, IDBackup.checkWord(of: code).characters != wanted.characters else {
                return TypedCode(code: code, isChecked: word != nil)
            }
            Output.word("error", "the code does not match the check word \(wanted.text)")
            if let slip = CodeSlip(in: code, expecting: wanted) {
                Output.word("hint", slip.words)
                slip.groups.forEach { entry.doubt($0) }
            } else {
                word = try askAboutMismatch(code, wanted, isOption: expected != nil, &entry)
            }
        }
        return nil
    }

    /// Asks until no group is missing or wrong.
    private func complete(_ entry: inout CodeEntry) throws -> GroupedCode? {
        var isPasted = false
        while entry.code == nil {
            // While lines of a paste are still coming, they are the groups that come next.
            let wrong = isPasted && !entry.isFull ? nil : entry.wrong
            let row = wrong == nil ? nil : entry.wrongRow
            guard let line = try askPasted(Self.question(entry, wrong, row)) else { break }
            try refuseShare(line)
            let typed = line.filter { !$0.isWhitespace }
            if typed.isEmpty {
                if let row {
                    entry.keep(row)
                } else if let wrong, wrong.mayStay {
                    entry.keep(wrong.number)
                } else if wrong == nil && entry.mayBeAll {
                    entry.end()
                } else if entry.next == 1 {
                    return nil
                } else {
                    Output.word("error", "group \(wrong?.number ?? entry.next) is missing; Ctrl-D cancels")
                }
            } else if typed.allSatisfy({ $0 == "-" }) {
                for _ in typed { entry.back() }
            } else {
                do throws(CodeEntryError) {
                    let problems = try entry.take(line, for: wrong?.number)
                    problems.forEach { Self.report($0) }
                    isPasted = (isPasted || !problems.isEmpty) && isMoreTyped
                } catch {
                    isPasted = false
                    Self.report(error)
                    // The rest of a paste would be taken for the groups that come next.
                    dropPending()
                }
            }
        }
        if entry.next == 1 { return nil }
        // Nobody is asked for the password of half a code.
        guard let code = entry.code else {
            throw IDBackupError.wrongLength(characters: entry.characterCount, shortGroups: [])
        }
        _ = try IDBackup.scheme(of: code)
        return code
    }

    /// - Throws: `Failure` for the words of a share.
    private func refuseShare(_ line: String) throws {
        let bytes = Array(line.utf8)
        guard ShareWords.isLikely(bytes.span) else { return }
        // The rest would be typed into the shell.
        dropPending()
        throw Failure.shareNotCode("these are")
    }

    private static func report(_ error: CodeEntryError) {
        let failure = error.failure
        Output.word("error", failure.message)
        failure.hints.forEach { Output.word("hint", $0.text) }
    }

    private static func question(
        _ entry: CodeEntry, _ wrong: (number: Int, text: String, mayStay: Bool)?, _ row: CodeEntry.Row?
    ) -> String {
        if let row {
            return "Row \(row.number) (groups \(row.groups.first) to \(row.groups.last)) again (Enter accepts it): "
        }
        if let wrong {
            let advice = wrong.mayStay ? ", Enter accepts it" : ""
            return "Group \(wrong.number) again (it was \(wrong.text.printable)\(advice)): "
        }
        let again = entry.takenBack.map { " again (it was \($0))" } ?? ""
        guard entry.next > 1 else { return "Backup code\(again): " }
        return "Group \(entry.next)\(again)\(entry.mayBeAll ? "; Enter if the code is complete" : ""): "
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
