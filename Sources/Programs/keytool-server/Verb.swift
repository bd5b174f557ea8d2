import ArgumentParser
import Console

/// A leaf command.
protocol Verb: ParsableCommand {
    var root: KeytoolServer { get }
    var globals: GlobalOptions { get }
    /// Does the work; what it refuses it throws.
    func run(_ dialog: Dialog) throws
}

extension Verb {
    func run() throws {
        try start(globals.merged(with: root.globals))
    }

    /// Runs with the options of all levels.
    func start(_ options: GlobalOptions) throws {
        let dialog = Dialog(options.words, options.terminal)
        Variables.warnOfUnknown(dialog.output)
        try run(dialog)
    }
}
