internal import CLinux
internal import Glibc

/// A lock of some bytes of a file that other programs see, which lock them with fcntl(2), as SQLite does. It is exclusive
/// if this account may write the file, else shared, or always shared if that is asked for. It ends with this value; the
/// kernel releases it if the process dies.
///
/// It belongs to its open file (F_OFD_SETLK): it stays if this process opens and closes the file once more. The locks of
/// a process (F_SETLK) do not: the kernel drops all that this process has on a file when it closes any descriptor of it.
/// So a process that has an SQLite connection to the file must not make this lock, which would be refused, and then
/// SQLite's locks would be gone.
package struct RangeLock: ~Copyable, Sendable {
    private let descriptor: Int32
    private let start: Int64
    private let count: Int64

    deinit {
        // As `FileLock`: a process that was forked meanwhile holds the lock, too.
        _ = keytool_unlock_range(descriptor, start, count)
        close(descriptor)
    }

    /// - Throws: `.locked` at once if another process has locked one of the bytes; `.missing`; as `Directory.read`.
    fileprivate init(
        _ name: String, in directory: borrowing Directory, start: Int64, count: Int64, isShared: Bool
    ) throws(FileError) {
        let path = directory.path(of: name)
        let (file, isWritable) = directory.openForLocking(name, O_NOCTTY, orForReading: true)
        guard file >= 0 else { throw FileError(.open, path: path, code: errno) }
        do throws(FileError) {
            try directory.check(Directory.status(of: file, path: path), name)
            guard uninterrupted({ keytool_lock_range(file, start, count, isWritable && !isShared ? 1 : 0) }) == 0 else {
                throw errno == EAGAIN || errno == EACCES
                    ? FileError.locked(path: path) : FileError.system(.lock, path: path, code: errno)
            }
        } catch {
            close(file)
            throw error
        }
        descriptor = file
        self.start = start
        self.count = count
    }
}

extension Directory {
    /// Locks bytes of a file. The file does not change, also if it is shorter. This process has no locks of its own
    /// (F_SETLK) on the file: they would end, even if this fails.
    /// - Parameter isShared: whether others may lock the bytes, too, as long as they share them.
    /// - Throws: `.locked` at once if another process, or another `RangeLock`, has locked one of the bytes; `.missing`.
    package func lockBytes(
        _ start: Int64, count: Int64, of name: String, isShared: Bool = false
    ) throws(FileError) -> RangeLock {
        try RangeLock(name, in: self, start: start, count: count, isShared: isShared)
    }
}
