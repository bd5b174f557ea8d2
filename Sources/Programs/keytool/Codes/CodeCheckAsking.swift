import CommandLine
import Console
import Encodings
import Threema

/// The questions about the check word of a code that was typed.
extension ControllingTerminal {
    /// - Returns: nil for an empty answer.
    func askCheckWord() throws -> GroupedCode? {
        while true {
            guard let answer = try askText("Check word (Enter for none): ") else { throw Self.noAnswer }
            if answer.allSatisfy(\.isWhitespace) { return nil }
            if let word = IDBackup.checkWord(typed: answer) { return word }
            Output.word("error", "a check word has 8 characters, A-Z and 2-7")
        }
    }

    /// Asks what is wrong where no single slip explains it.
    /// - Returns: the word that counts from now on; nil for none.
    func askAboutMismatch(
        _ code: GroupedCode, _ word: GroupedCode, isOption: Bool, _ entry: inout CodeEntry
    ) throws -> GroupedCode? {
        let present = IDBackup.checkWord(of: code)
        Output.word(
            "hint",
            CodeSlip.isBetween(present, word)
                ? "the check word may be mistyped: this code has \(present.text)"
                : "no single wrong or swapped character explains it: compare the code group by group")
        let question =
            isOption
            ? "Number of a wrong group (Ctrl-D cancels): "
            : "Number of a wrong group, or the check word (Enter to continue without it): "
        while true {
            guard let answer = try askText(question) else {
                throw Failure.otherCheckWord(than: word, of: code)
            }
            let parts = answer.split { $0.isWhitespace || $0 == "," }
            let numbers = parts.compactMap { Int($0) }.filter { (1..<entry.next).contains($0) }
            if !parts.isEmpty, numbers.count == parts.count {
                numbers.forEach { entry.doubt($0) }
                return word
            }
            if !isOption {
                if parts.isEmpty { return nil }
                if let word = IDBackup.checkWord(typed: answer) { return word }
            }
            Output.word("error", "type a group number from 1 to \(entry.next - 1)")
        }
    }

    private static var noAnswer: UsageFailure { UsageFailure("the check word was not entered") }
}

extension IDBackup {
    /// A check word as it may be typed; nil for what cannot be one.
    fileprivate static func checkWord(typed text: String) -> GroupedCode? {
        guard let word = try? GroupedCode(parsing: text), word.isCheckWord else { return nil }
        return word
    }
}

extension Failure {
    /// The code does not have this check word.
    static func otherCheckWord(than word: GroupedCode, of code: GroupedCode) -> Failure {
        let slip = CodeSlip(in: code, expecting: word)
        return Failure(
            .verifyFailed, "the code does not match the check word \(word.text)",
            hints: "the check word of this code is \(IDBackup.checkWord(of: code).text)",
            Hint(slip?.words ?? "compare the code group by group"))
    }
}

extension GroupedCode {
    /// Whether it is as long as a check word.
    var isCheckWord: Bool { characters.count == 8 }
}
