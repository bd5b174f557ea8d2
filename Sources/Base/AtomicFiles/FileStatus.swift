internal import CLinux
internal import Glibc

// What a file or directory is and who may touch it, checked on the open descriptor or without following.

extension Directory {
    /// Takes over a descriptor that open answered, once what it leads to is found acceptable.
    static func adopt(_ descriptor: Int32, path: String, rule: Rule) throws(FileError) -> Directory {
        guard descriptor >= 0 else { throw FileError(.open, path: path, code: errno) }
        let directory = Directory(descriptor: descriptor, path: path, rule: rule)
        let status = try status(of: descriptor, path: path)
        if rule == .secret { try checkSecrecy(status, path: path) }
        return directory
    }

    /// The file must be plain; under `.secret` also ours, with no permissions for others and one name.
    func check(_ status: stat, _ name: String) throws(FileError) {
        guard status.st_mode & S_IFMT == S_IFREG else { throw .wrongKind(path: path(of: name)) }
        guard rule == .secret else { return }
        // None at all: it was replaced after it was opened here, and is still whole.
        guard status.st_nlink <= 1 else { throw .wrongKind(path: path(of: name)) }
        try Self.checkSecrecy(status, path: path(of: name))
    }

    /// - Throws: `.wrongKind` where the name is a link, a directory or a special file; `.missing`.
    package func requirePlainFile(_ name: String) throws(FileError) {
        guard let status = try status(name) else { throw .missing(path: path(of: name)) }
        try check(status, name)
    }

    /// Whether a directory stands in this one under that name: not removed, and not another one in its place.
    package func holds(_ inner: borrowing Directory, as name: String) throws(FileError) -> Bool {
        guard let here = try status(name) else { return false }
        let status = try Self.status(of: inner.descriptor, path: inner.path)
        return here.st_ino == status.st_ino && here.st_dev == status.st_dev
    }

    func isDirectory(_ name: String) throws(FileError) -> Bool {
        try status(name).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
    }

    /// Whether a plain file stands there, whoever may touch it.
    package func isFile(_ name: String) throws(FileError) -> Bool {
        try status(name).map { $0.st_mode & S_IFMT == S_IFREG } ?? false
    }

    /// The permission bits of a file or directory.
    /// - Throws: `.missing`.
    package func mode(of name: String) throws(FileError) -> UInt32 {
        guard let status = try status(name) else { throw .missing(path: path(of: name)) }
        return status.st_mode & 0o7777
    }

    /// The length of a plain file in bytes.
    /// - Throws: `.wrongKind` where the name is a link, a directory or a special file; `.missing`.
    package func length(of name: String) throws(FileError) -> Int {
        guard let status = try status(name) else { throw .missing(path: path(of: name)) }
        try check(status, name)
        return Int(status.st_size)
    }

    /// When the file was last changed, in milliseconds since the epoch; nil where there is none.
    package func modificationTime(of name: String) throws(FileError) -> Int64? {
        try status(name).map { Int64($0.st_mtim.tv_sec) &* 1000 &+ Int64($0.st_mtim.tv_nsec) / 1_000_000 }
    }

    /// The status of a name, without following a link; nil where there is nothing of that name.
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
    /// The error that an errno means where a name was looked up.
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
