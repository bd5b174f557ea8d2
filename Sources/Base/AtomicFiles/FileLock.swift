internal import CLinux
internal import Glibc

/// A flock(2) on a file or directory, exclusive unless it is said to be shared. It ends with this value. The kernel releases it if the process dies.
package struct FileLock: ~Copyable, Sendable {
    private let descriptor: Int32

    deinit {
        close(descriptor)
    }

    /// Sets the modification time of the locked file, in milliseconds since the epoch. Best effort; errors are ignored.
    package func setModificationTime(milliseconds: Int64) {
        _ = Directory.setModificationTime(of: descriptor, milliseconds: milliseconds)
    }

    /// How long to sleep between two tries.
    private static let pause = Duration.milliseconds(50)

    /// - Parameter isCreating: create the file if it is missing.
    /// - Returns: nil if the file is missing, or was removed while this process waited, and is not created.
    fileprivate init?(
        _ name: String, in directory: borrowing Directory, wait: Duration, isCreating: Bool
    ) throws(FileError) {
        let path = directory.path(of: name)
        let deadline = ContinuousClock.now + wait
        while true {
            let flags = O_RDWR | (isCreating ? O_CREAT : 0) | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
            let file = unsafe keytool_openat(directory.descriptor, name, flags, 0o600)
            if file < 0 && errno == ENOENT && !isCreating { return nil }
            guard file >= 0 else { throw FileError(.open, path: path, code: errno) }
            do throws(FileError) {
                let status = try Directory.status(of: file, path: path)
                try directory.check(status, name)
                if flock(file, LOCK_EX | LOCK_NB) == 0 {
                    // The file may have been replaced between open and flock. Then this lock excludes nobody.
                    if let now = try directory.status(name), now.st_ino == status.st_ino, now.st_dev == status.st_dev {
                        descriptor = file
                        return
                    }
                } else if errno != EWOULDBLOCK && errno != EINTR {
                    throw FileError.system(.lock, path: path, code: errno)
                } else if ContinuousClock.now >= deadline {
                    throw FileError.locked(path: path)
                } else {
                    usleep(UInt32(Self.pause / .microseconds(1)))
                }
            } catch {
                close(file)
                throw error
            }
            close(file)
        }
    }
}

extension FileLock {
    /// Locks a directory itself, without a file in it. If the file system has no such locks (some network file
    /// systems), the lock excludes nobody.
    fileprivate init(
        itself directory: borrowing Directory, wait: Duration, isShared: Bool
    ) throws(FileError) {
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
        let file = unsafe keytool_openat(directory.descriptor, ".", flags, 0)
        guard file >= 0 else { throw FileError(.open, path: directory.path, code: errno) }
        let deadline = ContinuousClock.now + wait
        let operation = (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB
        while flock(file, operation) != 0 && (errno == EWOULDBLOCK || errno == EINTR) {
            guard ContinuousClock.now < deadline else {
                close(file)
                throw .locked(path: directory.path)
            }
            usleep(UInt32(Self.pause / .microseconds(1)))
        }
        descriptor = file
    }
}

extension Directory {
    /// Locks this directory.
    /// - Parameter isShared: exclude only those who lock it exclusively.
    /// - Throws: `.locked` if another process still holds it after `wait`.
    package func lock(wait: Duration, isShared: Bool = false) throws(FileError) -> FileLock {
        try FileLock(itself: self, wait: wait, isShared: isShared)
    }

    /// Locks the file `name`, which is created if it is missing (0600, empty).
    /// - Throws: `.locked` if another process still holds it after `wait`.
    package func lock(_ name: String, wait: Duration) throws(FileError) -> FileLock {
        // A file that is created is never missing.
        try FileLock(name, in: self, wait: wait, isCreating: true)!
    }

    /// Locks the file `name`.
    /// - Returns: nil if it is missing, also if another process removed it during `wait`.
    /// - Throws: `.locked` if another process still holds it after `wait`.
    package func lockIfPresent(_ name: String, wait: Duration) throws(FileError) -> FileLock? {
        try FileLock(name, in: self, wait: wait, isCreating: false)
    }
}
