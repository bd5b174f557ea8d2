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
        let options = globals.merged(with: root.globals)
        try run(Dialog(options.words, options.terminal))
    }
}
