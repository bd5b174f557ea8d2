/// How a command and its user speak with each other: where it writes, and whether it may ask.
package struct Dialog {
    /// Where results and words go.
    package let output: Output
    /// Whether questions are allowed. There may be no terminal to ask them on.
    package let mayAsk: Bool

    init(output: Output, mayAsk: Bool) {
        self.output = output
        self.mayAsk = mayAsk
    }

    /// As a command's options have it.
    package init(_ words: OutputOptions, _ terminal: TerminalOptions) {
        self.init(output: Output(words), mayAsk: !terminal.noInput)
    }

    /// Whether questions are allowed and there is a terminal to ask them on.
    package var canAsk: Bool { mayAsk && ControllingTerminal.exists }
}
