internal import CLinux
internal import Glibc

/// A lock of some bytes of a file, as fcntl(2) makes it, which other programs take on the files of their libraries. It is
/// exclusive if this account may write the file, else shared. It ends with this value; the kernel releases it if the
/// process dies.
package struct RangeLock: ~Copyable, Sendable {
    private let descriptor: Int32

    deinit {
        close(descriptor)
    }

    /// - Throws: `.locked` at once if another process has locked one of the bytes; `.missing`; as `Directory.read`.
    fileprivate init(
        _ name: String, in directory: borrowing Directory, start: Int64, count: Int64
    ) throws(FileError) {
        let path = directory.path(of: name)
        let (file, isWritable) = directory.openForLocking(name, O_NOCTTY, orForReading: true)
        guard file >= 0 else { throw FileError(.open, path: path, code: errno) }
        do throws(FileError) {
            try directory.check(Directory.status(of: file, path: path), name)
            guard uninterrupted({ keytool_lock_range(file, start, count, isWritable ? 1 : 0) }) == 0 else {
                throw errno == EAGAIN || errno == EACCES
                    ? FileError.locked(path: path) : FileError.system(.lock, path: path, code: errno)
            }
        } catch {
            close(file)
            throw error
        }
        descriptor = file
    }
}

extension Directory {
    /// Locks bytes of a file. The file does not change, also if it is shorter.
    /// - Throws: `.locked` at once if another process has locked one of the bytes; `.missing`.
    package func lockBytes(_ start: Int64, count: Int64, of name: String) throws(FileError) -> RangeLock {
        try RangeLock(name, in: self, start: start, count: count)
    }
}
