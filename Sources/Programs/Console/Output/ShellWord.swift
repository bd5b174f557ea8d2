/// A word of a shell's command line.
package enum ShellWord {
    private static let plain = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._/:=@+,".utf8)

    /// A path as a word.
    package static func path(_ path: String) -> String { quoted(operand(path)) }

    /// A path that no command takes for an option, which begins with a dash.
    package static func operand(_ path: String) -> String { path.hasPrefix("-") ? "./" + path : path }

    /// The word in single quotes if it needs them.
    package static func quoted(_ word: String) -> String {
        guard word.isEmpty || !word.utf8.allSatisfy(plain.contains) else { return word }
        // By scalars: a quote with an accent is a quote.
        return "'" + word.unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }.joined() + "'"
    }
}
