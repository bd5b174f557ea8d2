extension Dialog {
    /// Asks before something that is not undone easily.
    /// - Throws: `UsageFailure` for anything but a yes, or if nobody can be asked.
    package func confirm(_ deed: String) throws {
        guard mayAsk, let terminal = ControllingTerminal() else {
            throw UsageFailure(
                "cannot ask whether to \(deed): there is no terminal, or --no-input is given", hint: "use --yes")
        }
        guard try terminal.askYesNo(deed.prefix(1).uppercased() + deed.dropFirst() + "?") else {
            throw UsageFailure("not confirmed; nothing was changed")
        }
    }

    /// Has the user type a word again before something is destroyed.
    /// - Throws: `UsageFailure` for another answer, or if nobody can be asked.
    package func confirm(_ deed: String, typing word: String) throws {
        guard mayAsk, let terminal = ControllingTerminal() else {
            throw UsageFailure(
                "cannot ask whether to \(deed): there is no terminal, or --no-input is given", hint: "use --yes")
        }
        let answer = try terminal.askText("To \(deed), type \(word): ")
        guard answer?.uppercased() == word.uppercased() else {
            throw UsageFailure("not confirmed; nothing was changed")
        }
    }
}
