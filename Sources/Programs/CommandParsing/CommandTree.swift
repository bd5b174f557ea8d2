package import ArgumentParser

/// How much of a program's commands the parser gets to see.
///
/// It makes tables of every command in its tree before it reads a word, and looks for a request of completions by two
/// other parsers: a half of a short command's time. So a noun has its verbs only if the arguments name it, and nobody
/// looks for that request where it is not. All is there for help, completion and the words about an error.
package enum CommandTree {
    /// The noun that the arguments name; nil while all have their verbs. Written before other threads begin, and at the
    /// end.
    nonisolated(unsafe) private static var named: String?

    /// Whether a noun has its verbs.
    package static func has(_ noun: String) -> Bool { unsafe named.map { $0 == noun } ?? true }

    /// A program's configuration, for the parser.
    package static func parsed(_ root: CommandConfiguration) -> CommandConfiguration {
        guard unsafe named != nil else { return root }
        var root = root
        // The parser's mark of a program that another one starts, which has no completions. It is seen in help only
        // otherwise, which has the whole tree.
        root._superCommandName = ""
        return root
    }

    /// - Parameter noun: the only one that keeps its verbs; nil for all.
    static func prune(to noun: String?) { unsafe named = noun }
}
