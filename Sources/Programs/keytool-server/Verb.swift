import ArgumentParser
import Console

/// A leaf command.
protocol Verb: ParsableCommand {
    /// Those that stood before the verb, too (`CommandWords`).
    var globals: GlobalOptions { get }
    /// Does the work; what it refuses it throws.
    func run(_ dialog: Dialog) throws
}

extension Verb {
    func run() throws {
        let dialog = Dialog(globals.words, globals.terminal)
        Variables.warnOfUnknown(dialog.output)
        try run(dialog)
    }
}
