/// stdin, which can be only one thing: the data of a command, or one of its secrets.
package enum StandardInput {
    nonisolated(unsafe) private static var isTaken = false

    /// Called before it is read.
    /// - Throws: `UsageFailure` if it has been read for something else.
    static func take() throws {
        guard unsafe !isTaken else { throw isTwoThings }
        unsafe isTaken = true
    }

    /// The failure of a call that gives stdin two purposes.
    package static let isTwoThings = UsageFailure("stdin can be used for only one thing")
}
