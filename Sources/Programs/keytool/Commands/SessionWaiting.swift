import ArgumentParser
import AtomicFiles
import Console
import Encodings
import Glibc
import MessengerKeeping

/// How long a command waits for a program that uses the sessions of an identity.
struct SessionWaitOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("How long to wait for a program that uses the sessions (default 1m).", valueName: "duration")
    )
    var lockWait: TimeSpan?

    /// Runs `body` with the wait. It is told on a terminal, and with `--verbose`.
    /// - Throws: `CommandFailure` if the program still uses them; what `body` throws.
    func waiting<Result>(
        for id: String, _ session: Session, _ body: (SessionWait) throws -> Result
    ) throws -> Result {
        let output = session.output
        let isShown = output.isVerbose || isatty(STDERR_FILENO) == 1
        let wait = SessionWait(lockWait?.duration) {
            if isShown { output.note("waiting for a program that uses the sessions of \(id)") }
        }
        do {
            return try body(wait)
        } catch FileError.locked(let path) {
            throw CommandFailure(
                failure: Failure(
                    .locked, "another program is using the sessions of \(id)",
                    hints: "it holds the lock on \(path): end it, or wait longer with --lock-wait"))
        }
    }
}
