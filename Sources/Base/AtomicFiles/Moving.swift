internal import CLinux
internal import Glibc

// Files that move to another directory when they are replaced or removed. Such a file has one name at each moment. A
// program that copies both directories meanwhile may find a file under two names and take them for hard links: restic
// 0.14 then restores only one of them.

extension Directory {
    /// Errors of a file system that cannot do this, and of two file systems.
    private static let unsupported = [EINVAL, ENOSYS, EOPNOTSUPP, EXDEV]

    /// Replaces a file, and moves the old one to another directory, in one step: at each moment, the name has the whole
    /// old file or the whole new one. Syncs both directories. A process that dies before this step may leave the new
    /// content under `newName`.
    /// - Parameter time: the modification time of the new file, in milliseconds since the epoch.
    /// - Returns: false if the file system cannot do this; then nothing was done.
    /// - Throws: `.exists` if the new name exists; `.missing` if the file does not; another `FileError`. Nothing was done,
    ///   unless a directory could not be synced.
    package func replace(
        _ name: String, _ bytes: Span<UInt8>, modified time: Int64, movingOldTo other: borrowing Directory,
        as newName: String
    ) throws(FileError) -> Bool {
        try EndingSignals.held { () throws(FileError) in
            guard try other.writeUnnamed(newName, bytes, .owner, time) else { return false }
            let result = uninterrupted {
                unsafe keytool_rename_exchange(other.descriptor, newName, descriptor, name)
            }
            guard result == 0 else {
                let code = errno
                other.unlink(newName)
                if Self.unsupported.contains(code) { return false }
                throw FileError(.rename, path: path(of: name), code: code)
            }
            try other.sync()
            try sync()
            return true
        }
    }

    /// Moves a file to another directory, and syncs both.
    /// - Returns: false if the file system cannot do this without replacing an existing file; then nothing was done.
    /// - Throws: `.exists` if the new name exists; `.missing` if the file does not; another `FileError`. Nothing was done,
    ///   unless a directory could not be synced.
    package func move(
        _ name: String, to other: borrowing Directory, as newName: String
    ) throws(FileError) -> Bool {
        let result = uninterrupted { unsafe keytool_rename_noreplace(descriptor, name, other.descriptor, newName) }
        guard result == 0 else {
            if Self.unsupported.contains(errno) { return false }
            throw FileError(.rename, path: errno == ENOENT ? path(of: name) : other.path(of: newName), code: errno)
        }
        try other.sync()
        try sync()
        return true
    }
}
