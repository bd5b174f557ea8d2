import AtomicFiles
package import Console
import Glibc
package import SessionStore

// Errors about sessions that programs on the libraries keep in the keystore.

extension SessionStoreError: Explained {
    package var failure: Failure {
        switch self {
        case .file(let error): Failure(error)
        case .full(let path): Failure(.io, "cannot write \(path): \(systemMessage(ENOSPC))")
        case .damaged(let path):
            Failure(
                .badData, "the sessions in \(path) are damaged, or belong to another identity",
                hints: "the identity itself is not affected", "peers begin new sessions if you remove this file"
            ).because(of: "damaged_sessions")
        case .foreign(let path):
            Failure(.badData, "\(path) does not contain sessions").because(of: "damaged_sessions")
        case .unknownVersion(let version, let path):
            Failure(
                .badData, "the sessions in \(path) have version \(version), which this keytool does not support",
                hints: version < 3
                    ? "it kept replaced keys on the disk; without this file peers begin new sessions, and what waits in it is lost"
                    : "a newer keytool may know it: install that version")
        case .copied(let path):
            Failure(
                .exists, "the sessions in \(path) are a copy",
                hints: "the program that uses them has to end them first")
        case .busy(let path):
            Failure(
                .locked, "another program has opened \(path) without the lock of its identity",
                hints: "a database tool or a backup program, for example: it is not waited for; end it, then try again"
            ).because(of: "sessions_open")
        case .unerased(let path):
            Failure(
                .io, "the sessions in \(path) are stored, but keys that they replaced could not be overwritten",
                hints: "run the command again: it tries that first")
        case .system(let path, let code, let system):
            Failure(
                .io, "cannot use \(path): " + (system == 0 ? "SQLite error \(code)" : systemMessage(system)))
        }
    }
}

extension Failure {
    /// A program did not release the lock of an identity in time.
    package static func sessionsInUse(of name: String, lock path: String) -> Failure {
        Failure(
            .locked, "another program is using the sessions of \(name)",
            hints: "it holds the lock on \(path): end it, or wait longer with --lock-wait")
    }
}
