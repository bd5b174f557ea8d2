import AtomicFiles
import Console
import Glibc

/// Keeps root from writing files that the account of a server could not read.
enum RootGuard {
    /// - Throws: `FileError.notOurs` if this is root, and the directory belongs to another account.
    static func check(directory path: String) throws(FileError) {
        guard geteuid() == 0, let owner = FileStatus(path)?.owner, owner != 0 else { return }
        throw .notOurs(path: path, owner: owner)
    }

    /// For a file that is to be changed or created. If it is missing, its directory says who is to read it.
    /// - Throws: `FileError.notOurs` if this is root, and the file or its directory belongs to another account.
    static func check(file path: String) throws(FileError) {
        guard FileStatus.isMissing(path) else { return try check(directory: path) }
        let above = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        try check(directory: above.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : above)
    }
}
