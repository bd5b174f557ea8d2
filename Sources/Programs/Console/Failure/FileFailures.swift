package import AtomicFiles
import Glibc

extension FileError: Explained {
    /// The sentence and the exit code.
    package var failure: Failure {
        switch self {
        case .missing(let path): Failure(.noInput, "\(path) does not exist")
        case .exists(let path): Failure(.exists, "\(path) already exists")
        case .exposed(let path, let mode):
            Failure(
                .permission, "\(path) is accessible to other users (mode 0\(String(mode, radix: 8)))",
                hints: "if only this account uses this path: chmod go= \(ShellWord.path(path))")
        case .notOurs(let path, let owner): Self.notOurs(path, owner)
        case .wrongKind(let path):
            Failure(
                .permission,
                "\(path) is not what is expected there: a file instead of a directory, a directory, a link or a special file",
                hints: "check the path; \(Program.name) does not follow links there")
        case .unsafeLink(let path):
            Failure(.permission, "another user could redirect \(path)", hints: "use the real path of the directory")
        case .tooLarge(let path, let limit): Failure(.badData, "\(path) is longer than \(limit) bytes")
        case .locked(let path):
            Failure(
                .locked, "another \(Program.family) process is running",
                hints: "it holds the lock on \(path): try again later")
        case .system(_, let path, EACCES), .system(_, let path, EPERM):
            Failure(.permission, "permission denied: \(path)")
        case .system(_, _, ENOMEM): OutOfMemory.failure
        case .system(let operation, let path, let code):
            Failure(.io, "cannot \(operation.rawValue) \(path): \(systemMessage(code))")
        }
    }

    private static func notOurs(_ path: String, _ owner: UInt32) -> Failure {
        let name = accountName(owner)
        let message = "\(path) belongs to \(name)"
        return geteuid() == 0
            ? Failure(.permission, message, hints: "run it as that account: sudo -u \(name) \(Program.name) …")
            : Failure(.permission, message)
    }
}

extension OutputError: Explained {
    /// The sentence and the exit code.
    package var failure: Failure {
        switch self {
        case .notWritten(let code):
            Failure(
                .io, "cannot write the result: \(systemMessage(code))",
                hints: "the command itself may have succeeded: check before you repeat it")
        case .readerLeft: Failure(.io, "nobody reads the result any more")
        }
    }
}
