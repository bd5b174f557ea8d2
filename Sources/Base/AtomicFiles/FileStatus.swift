internal import CLinux
internal import Glibc

// Kind, owner and mode of files and directories, checked on the open descriptor or without following links.

extension Directory {
    /// Takes ownership of a descriptor that open returned, after checking the directory.
    static func adopt(_ descriptor: Int32, path: String, rule: Rule) throws(FileError) -> Directory {
        guard descriptor >= 0 else { throw FileError(.open, path: path, code: errno) }
        let directory = Directory(descriptor: descriptor, path: path, rule: rule)
        let status = try status(of: descriptor, path: path)
        if rule == .secret { try checkSecrecy(status, path: path) }
        return directory
    }

    /// Checks that the file is plain; under `.secret` also that this account owns it, that others have no permission,
    /// and that it has one name.
    func check(_ status: stat, _ name: String) throws(FileError) {
        guard status.st_mode & S_IFMT == S_IFREG else { throw .wrongKind(path: path(of: name)) }
        guard rule == .secret else { return }
        // 0 names: it was replaced after it was opened here, and is still complete.
        guard status.st_nlink <= 1 else { throw .wrongKind(path: path(of: name)) }
        try Self.checkSecrecy(status, path: path(of: name))
    }

    /// - Throws: `.wrongKind` if the name is a link, a directory or a special file; `.missing`.
    package func requirePlainFile(_ name: String) throws(FileError) { _ = try presentState(of: name) }

    /// Whether `inner` is still the directory of that name in this one.
    package func holds(_ inner: borrowing Directory, as name: String) throws(FileError) -> Bool {
        guard let here = try status(name) else { return false }
        let status = try Self.status(of: inner.descriptor, path: inner.path)
        return here.st_ino == status.st_ino && here.st_dev == status.st_dev
    }

    /// Whether its path still leads to this directory, by device and inode: somebody may have moved it, or put another
    /// one there.
    package func isAtItsPath() throws(FileError) -> Bool {
        var there = stat()
        guard uninterrupted({ unsafe stat(path, &there) }) == 0 else { return false }
        let here = try Self.status(of: descriptor, path: path)
        return here.st_ino == there.st_ino && here.st_dev == there.st_dev
    }

    /// Whether this directory is the one at `path`, or lies below it, however the two paths are spelled. A path that
    /// leads nowhere has nothing inside.
    package func isInside(_ path: String) throws(FileError) -> Bool {
        var outer = stat()
        guard uninterrupted({ unsafe stat(path, &outer) }) == 0 else { return false }
        var here = try Self.status(of: descriptor, path: self.path)
        var way = ""
        while true {
            if here.st_ino == outer.st_ino && here.st_dev == outer.st_dev { return true }
            way += way.isEmpty ? ".." : "/.."
            var above = stat()
            guard uninterrupted({ unsafe fstatat(descriptor, way, &above, 0) }) == 0 else {
                throw FileError(.open, path: self.path, code: errno)
            }
            // The root contains itself.
            if above.st_ino == here.st_ino && above.st_dev == here.st_dev { return false }
            here = above
        }
    }

    func isDirectory(_ name: String) throws(FileError) -> Bool {
        try status(name).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
    }

    /// Whether the name is a plain file, of any owner and mode.
    package func isFile(_ name: String) throws(FileError) -> Bool {
        try status(name).map { $0.st_mode & S_IFMT == S_IFREG } ?? false
    }

    /// Refuses a directory in which no file can be created now. Nothing is changed.
    /// - Throws: `.system(.open)`, for example with EROFS, EACCES or ENOSPC.
    package func requireWritable() throws(FileError) {
        let file = unsafe keytool_openat(descriptor, ".", O_WRONLY | keytool_O_TMPFILE | O_CLOEXEC, 0o600)
        guard file < 0 else {
            close(file)
            return
        }
        // A file system without files that have no name: the permission is all that can be asked for.
        guard [EOPNOTSUPP, EISDIR, ENOENT, EINVAL].contains(errno),
            unsafe faccessat(descriptor, ".", W_OK | X_OK, AT_EACCESS) == 0
        else { throw FileError(.open, path: path, code: errno) }
    }

    /// The permission bits of a file or directory.
    /// - Throws: `.missing`.
    package func mode(of name: String) throws(FileError) -> UInt32 {
        guard let status = try status(name) else { throw .missing(path: path(of: name)) }
        return status.st_mode & 0o7777
    }

    /// The length of a plain file in bytes.
    /// - Throws: `.wrongKind` if the name is a link, a directory or a special file; `.missing`.
    package func length(of name: String) throws(FileError) -> Int {
        guard let status = try status(name) else { throw .missing(path: path(of: name)) }
        try check(status, name)
        return Int(status.st_size)
    }

    /// The modification time of a file in milliseconds since the epoch; nil if it does not exist.
    package func modificationTime(of name: String) throws(FileError) -> Int64? {
        try status(name).map { Self.milliseconds($0.st_mtim) }
    }

    /// Since the epoch.
    static func milliseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1000 &+ Int64(time.tv_nsec) / 1_000_000
    }

    /// Length and age of a plain file, of any owner and mode, by one look.
    /// - Returns: `count` in bytes, `modified` in milliseconds since the epoch; nil if the name is missing, or a link, a
    ///   directory or a special file.
    package func plainFile(_ name: String) throws(FileError) -> (count: Int, modified: Int64)? {
        guard let status = try status(name), status.st_mode & S_IFMT == S_IFREG else { return nil }
        return (Int(status.st_size), Self.milliseconds(status.st_mtim))
    }

    /// Lends the plain files in this directory, of any owner and mode, as `forEachName` lends names; without a text for
    /// each.
    /// - Parameters:
    ///   - isWanted: whether to look at a file, by the bytes of its name.
    ///   - body: gets the bytes of the name, the length in bytes, and the modification time in milliseconds since the
    ///     epoch.
    package func forEachFile(
        where isWanted: (Span<UInt8>) -> Bool,
        _ body: (_ name: Span<UInt8>, _ count: Int, _ modified: Int64) throws(FileError) -> Void
    ) throws(FileError) {
        try unsafe eachName { text throws(FileError) in
            let start = unsafe UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self)
            let name = unsafe UnsafeBufferPointer(start: start, count: strlen(text)).span
            guard isWanted(name) else { return }
            var status = stat()
            guard uninterrupted({ unsafe fstatat(descriptor, text, &status, AT_SYMLINK_NOFOLLOW) }) == 0 else {
                if errno == ENOENT { return }
                throw FileError(.open, path: path(of: unsafe String(cString: text)), code: errno)
            }
            guard status.st_mode & S_IFMT == S_IFREG else { return }
            try body(name, Int(status.st_size), Self.milliseconds(status.st_mtim))
        }
    }

    /// Sets the modification time of a file, in milliseconds since the epoch. A missing file is created (0600, empty).
    /// Nothing is synced.
    package func touch(_ name: String, milliseconds: Int64) throws(FileError) {
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let file = unsafe keytool_openat(descriptor, name, flags, 0o600)
        guard file >= 0 else { throw FileError(.open, path: path(of: name), code: errno) }
        defer { close(file) }
        try check(Self.status(of: file, path: path(of: name)), name)
        guard Self.setModificationTime(of: file, milliseconds: milliseconds) else {
            throw .system(.write, path: path(of: name), code: errno)
        }
    }

    /// - Returns: false if the system refuses it.
    static func setModificationTime(of file: Int32, milliseconds: Int64) -> Bool {
        let seconds = milliseconds.quotientAndRemainder(dividingBy: 1000)
        // Times before the epoch are from a wrong clock.
        guard seconds.remainder >= 0 else { return true }
        let time = timespec(tv_sec: Int(seconds.quotient), tv_nsec: Int(seconds.remainder) * 1_000_000)
        return unsafe futimens(file, [time, time]) == 0
    }

    /// The status of a name, without following a link; nil if it does not exist.
    func status(_ name: String) throws(FileError) -> stat? {
        var status = stat()
        if uninterrupted({ unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) }) == 0 { return status }
        guard errno == ENOENT else { throw FileError(.open, path: path(of: name), code: errno) }
        return nil
    }

    static func status(of descriptor: Int32, path: String) throws(FileError) -> stat {
        var status = stat()
        guard uninterrupted({ unsafe fstat(descriptor, &status) }) == 0 else {
            throw FileError(.open, path: path, code: errno)
        }
        return status
    }

    private static func checkSecrecy(_ status: stat, path: String) throws(FileError) {
        guard status.st_uid == geteuid() else { throw .notOurs(path: path, owner: status.st_uid) }
        guard status.st_mode & 0o077 == 0 else { throw .exposed(path: path, mode: status.st_mode & 0o7777) }
    }
}

extension FileError {
    /// Translates the errno of a system call that takes a name.
    init(_ operation: Operation, path: String, code: Int32) {
        self =
            switch code {
            case ENOENT: .missing(path: path)
            case EEXIST: .exists(path: path)
            // O_NOFOLLOW met a link; O_DIRECTORY met a file; a directory was opened for writing; a FIFO or socket.
            case ELOOP, ENOTDIR, EISDIR, ENXIO: .wrongKind(path: path)
            default: .system(operation, path: path, code: code)
            }
    }
}
