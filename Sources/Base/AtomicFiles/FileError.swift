internal import Glibc

/// Why a file or directory could not be used. `path` is meant for messages and holds nothing secret.
public enum FileError: Error, Equatable, Sendable {
    /// The name does not exist.
    case missing(path: String)
    /// The name exists already.
    case exists(path: String)
    /// Group or others may read or write it; `mode` is its permission bits.
    case exposed(path: String, mode: UInt32)
    /// It belongs to another account; `owner` is its user id.
    case notOurs(path: String, owner: UInt32)
    /// A link, a second hard link, a FIFO or a directory stands where a plain file belongs, or the reverse.
    case wrongKind(path: String)
    /// The link on the way, or a directory above it, could be changed by another account.
    case unsafeLink(path: String)
    /// The file holds more than `limit` bytes.
    case tooLarge(path: String, limit: Int)
    /// Another process still holds the lock after the wait.
    case locked(path: String)
    /// A system call failed; `code` is its errno.
    case system(Operation, path: String, code: Int32)

    /// Whether the file could not be opened because this account cannot write there: a read-only medium, or no
    /// permission.
    package var isOfUnwritablePlace: Bool {
        guard case .system(.open, _, let code) = self else { return false }
        return Self.unwritable.contains(code)
    }

    /// Whether a file could not be written for a reason that lies in the place and not in the file: another process
    /// holds the lock, the medium is read-only or full, or this account has no permission.
    package var isOfUnsavedFile: Bool {
        switch self {
        case .locked: true
        case .system(.open, _, let code), .system(.write, _, let code), .system(.rename, _, let code):
            Self.unwritable.contains(code) || code == ENOSPC || code == EDQUOT
        default: false
        }
    }

    /// The errors of open(2) for a file that this account may read, perhaps, and not write.
    static let unwritable = [EROFS, EACCES, EPERM]

    /// What was being done when a system call failed.
    public enum Operation: String, Sendable {
        case open, read, write, sync, rename, remove, list, lock
    }
}
