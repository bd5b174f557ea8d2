internal import CLinux
internal import Glibc

/// A flock(2) on a file or directory. It is exclusive; it is shared for a directory on request, and for reading where
/// the file system has no other. It ends with this value, and the kernel releases it if the process dies.
package struct FileLock: ~Copyable, Sendable {
    private let descriptor: Int32

    deinit {
        // Closing alone is not enough: a process that another thread has just forked holds the lock too, until its exec.
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// How long to sleep between two tries.
    private static let pause = Duration.milliseconds(50)

    /// What a lock is taken for.
    fileprivate enum Purpose {
        /// To change files; the lock's file is created if it is missing.
        case creating
        /// To change files.
        case changing
        /// To read files. If this account cannot write the lock's file, it is opened for reading. Some network file
        /// systems have only a shared lock for that.
        case reading
    }

    /// - Returns: nil if the file is missing, or was removed while this process waited, and is not created.
    fileprivate init?(
        _ name: String, in directory: borrowing Directory, wait: Duration, for purpose: Purpose
    ) throws(FileError) {
        let path = directory.path(of: name)
        let deadline = ContinuousClock.now + wait
        while true {
            let (file, isWritable) = directory.openForLocking(
                name, purpose == .creating ? O_CREAT : 0, orForReading: purpose == .reading)
            if file < 0 && errno == ENOENT && purpose != .creating { return nil }
            guard file >= 0 else { throw FileError(.open, path: path, code: errno) }
            do throws(FileError) {
                let status = try Directory.status(of: file, path: path)
                try directory.check(status, name)
                var result = flock(file, LOCK_EX | LOCK_NB)
                if result != 0 && errno == EBADF && !isWritable { result = flock(file, LOCK_SH | LOCK_NB) }
                if result == 0 {
                    // The file may have been replaced between open and flock. Then this lock excludes nobody.
                    if let now = try directory.status(name), now.st_ino == status.st_ino, now.st_dev == status.st_dev {
                        descriptor = file
                        return
                    }
                    _ = flock(file, LOCK_UN)
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
        try FileLock(name, in: self, wait: wait, for: .creating)!
    }

    /// Locks the file `name`.
    /// - Returns: nil if it is missing, also if another process removed it during `wait`.
    /// - Throws: `.locked` if another process still holds it after `wait`.
    package func lockIfPresent(_ name: String, wait: Duration) throws(FileError) -> FileLock? {
        try FileLock(name, in: self, wait: wait, for: .changing)
    }

    /// Locks the file `name` to read other files, also where this account cannot write. It is not created.
    /// - Returns: nil if it is missing, also if another process removed it during `wait`.
    /// - Throws: `.locked` if another process still holds it after `wait`.
    package func lockForReading(_ name: String, wait: Duration) throws(FileError) -> FileLock? {
        try FileLock(name, in: self, wait: wait, for: .reading)
    }

    /// Locks the file `name`, and creates it if it is missing. If this account cannot write there, the file is locked for
    /// reading, and not created.
    package func lockCreating(_ name: String, orForReadingWithin wait: Duration) throws(FileError) -> FileLock? {
        do throws(FileError) {
            return try lock(name, wait: wait)
        } catch {
            guard error.isOfUnwritablePlace else { throw error }
            return try lockForReading(name, wait: wait)
        }
    }

    /// Opens a file for writing, to lock it.
    /// - Parameters:
    ///   - flags: further ones of open(2).
    ///   - mayOnlyRead: open it for reading if this account cannot write it.
    /// - Returns: as open(2), with errno; and whether the file is open for writing.
    func openForLocking(
        _ name: String, _ flags: Int32, orForReading mayOnlyRead: Bool
    ) -> (file: Int32, isWritable: Bool) {
        let flags = flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let file = unsafe keytool_openat(descriptor, name, O_RDWR | flags, 0o600)
        // A read-only medium, or no permission.
        guard file < 0 && mayOnlyRead && FileError.unwritable.contains(errno) else { return (file, true) }
        return (unsafe keytool_openat(descriptor, name, O_RDONLY | flags, 0), false)
    }
}
