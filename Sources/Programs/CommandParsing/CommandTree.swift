package import ArgumentParser

/// How much of a program's commands the parser gets to see.
///
/// It makes tables of every command in its tree before it reads a word, and looks for a request of completions by two
/// other parsers: a half of a short command's time. So a noun has its verbs only if the arguments name it, and nobody
/// looks for that request where it is not. All is there for help, completion and the words about an error.
package enum CommandTree {
    /// The noun that the arguments name; nil while all have their verbs. Written before other threads begin.
    nonisolated(unsafe) private static var named: String?

    /// Whether a noun has its verbs.
    package static func has(_ noun: String) -> Bool { unsafe named.map { $0 == noun } ?? true }

    /// A program's configuration, for the parser.
    package static func parsed(_ root: CommandConfiguration) -> CommandConfiguration {
        guard unsafe named != nil else { return root }
        var root = root
        // The parser's mark of a program that another one starts, which has no completions. Otherwise only help shows it,
        // and help has the whole tree.
        root._superCommandName = ""
        return root
    }

    /// - Parameters:
    ///   - noun: the only one that keeps its verbs; nil for all.
    ///   - parse: what the parser does.
    static func whilePruned<Result>(to noun: String?, _ parse: () throws -> Result) rethrows -> Result {
        unsafe named = noun
        defer { unsafe named = nil }
        return try parse()
    }
}
