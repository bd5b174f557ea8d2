package import ArgumentParser
import AtomicFiles
package import Console
import Glibc
package import Keystore
package import MessengerKeeping

/// How long a command waits for a program that uses the sessions of an identity.
package struct SessionWaitOptions: ParsableArguments {
    /// How a wait is written, by the name that stands for it in the help.
    package static let form = (name: "duration", words: "a number and a unit: 30s, 10m, 24h or 3d")

    package init() {}

    @Option(
        help: ArgumentHelp("How long to wait for a program that uses the sessions (default 1m).", valueName: "duration")
    )
    package var lockWait: TimeSpan?

    /// The wait. It is told on a terminal, and with `--verbose`.
    /// - Parameters:
    ///   - most: the longest wait, whatever the option says; nil for that of the option.
    ///   - name: of an identity, for people.
    package func wait(
        _ session: Session, atMost most: Duration? = nil, _ name: @escaping (Owner) -> String
    ) -> SessionWait {
        let output = session.output
        let isShown = output.isVerbose || isatty(STDERR_FILENO) == 1
        let limit = lockWait?.duration
        return SessionWait(most.map { min($0, limit ?? $0) } ?? limit) {
            if isShown { output.note("waiting for a program that uses the sessions of \(name($0))") }
        }
    }

    /// Runs `body` with the wait for the sessions of one identity.
    /// - Throws: `Failure` if the program still uses them; what `body` throws.
    package func waiting<Result>(
        for id: String, _ session: Session, _ body: (SessionWait) throws -> Result
    ) throws -> Result {
        do {
            return try body(wait(session) { _ in id })
        } catch FileError.locked(let path) {
            throw Failure.sessionsInUse(of: id, lock: path)
        }
    }
}
