internal import CLinux
internal import Glibc

/// An exclusive flock(2) on a file of a directory. The kernel drops it with the process, so it never
/// goes stale; it ends with this value.
package struct FileLock: ~Copyable, Sendable {
    private let descriptor: Int32

    deinit {
        close(descriptor)
    }

    /// Sets the time of the file that is locked, in milliseconds since the epoch. Best effort; errors are ignored.
    package func setModificationTime(milliseconds: Int64) {
        let seconds = milliseconds.quotientAndRemainder(dividingBy: 1000)
        guard seconds.remainder >= 0 else { return }
        let time = timespec(tv_sec: Int(seconds.quotient), tv_nsec: Int(seconds.remainder) * 1_000_000)
        _ = unsafe futimens(descriptor, [time, time])
    }

    /// How long to sleep between two tries.
    private static let pause = Duration.milliseconds(50)

    fileprivate init(_ name: String, in directory: borrowing Directory, wait: Duration) throws(FileError) {
        let path = directory.path(of: name)
        let deadline = ContinuousClock.now + wait
        while true {
            let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
            let file = unsafe keytool_openat(directory.descriptor, name, flags, 0o600)
            guard file >= 0 else { throw FileError(.open, path: path, code: errno) }
            do throws(FileError) {
                let status = try Directory.status(of: file, path: path)
                try directory.check(status, name)
                if flock(file, LOCK_EX | LOCK_NB) == 0 {
                    // The file may have been replaced between open and lock: then this lock excludes nobody.
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
    /// The lock on a directory itself, which needs no file in it. A file system without locks (some network file
    /// systems lock no directories) gives one that excludes nobody.
    fileprivate init(itself directory: borrowing Directory, wait: Duration) throws(FileError) {
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
        let file = unsafe keytool_openat(directory.descriptor, ".", flags, 0)
        guard file >= 0 else { throw FileError(.open, path: directory.path, code: errno) }
        let deadline = ContinuousClock.now + wait
        while flock(file, LOCK_EX | LOCK_NB) != 0 && (errno == EWOULDBLOCK || errno == EINTR) {
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
    /// Takes the lock on this directory itself.
    /// - Throws: `.locked` where another process still holds it after `wait`.
    package func lock(wait: Duration) throws(FileError) -> FileLock {
        try FileLock(itself: self, wait: wait)
    }

    /// Takes the lock on the file `name`, which is made where it is missing (0600, empty).
    /// - Throws: `.locked` where another process still holds it after `wait`.
    package func lock(_ name: String, wait: Duration) throws(FileError) -> FileLock {
        try FileLock(name, in: self, wait: wait)
    }
}
