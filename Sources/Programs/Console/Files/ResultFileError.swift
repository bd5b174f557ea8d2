package import AtomicFiles
import Glibc

/// Why a file that the user named for a result was not written.
package enum ResultFileError: Explained {
    case exists(path: String)
    /// The same for a result that never replaces anything.
    case existsForGood(path: String)
    /// It would be inside a directory whose files are the program's own.
    case reserved(path: String, for: String)
    /// The file was made, changed or removed since the command began.
    case changed(path: String)
    /// Its path leads to another directory than the one that was examined.
    case moved(path: String)
    case notCreated(path: String, reason: FileError)

    /// The sentence and the exit code.
    package var failure: Failure {
        switch self {
        case .exists(let path): Failure(.exists, "\(path) already exists", hints: "use --force to replace it")
        case .existsForGood(let path): Failure(.exists, "\(path) already exists", hints: "name a new directory")
        case .reserved(let path, let title):
            Failure(
                .usage, "\(path) is inside \(title), where only keytool's own files belong",
                hints: "name a file in another directory")
        case .changed(let path):
            Failure(
                .exists, "another program made, changed or removed \(path) meanwhile",
                hints: "the file is as the other program has left it; try again")
        case .moved(let path):
            Failure(
                .cantCreate, "another program moved or replaced the directory of \(path) meanwhile",
                hints: "nothing was written there; try again")
        case .notCreated(let path, .wrongKind): Failure(.cantCreate, "\(path) is not a regular file")
        case .notCreated(let path, .missing): Failure(.cantCreate, "the directory of \(path) does not exist")
        case .notCreated(let path, .system(_, _, let code)):
            Failure(
                [ENOSPC, EIO, EFBIG, EDQUOT].contains(code) ? .io : .cantCreate,
                "cannot write \(path): \(systemMessage(code))")
        case .notCreated(let path, let reason):
            Failure(.cantCreate, "cannot write \(path): \(Failure(reason).message)")
        }
    }
}
