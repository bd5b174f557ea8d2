import Glibc

/// What the system says about a file; links are followed.
package struct FileStatus {
    private let status: stat

    /// - Returns: nil if the file does not exist or cannot be examined.
    package init?(_ path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        self.status = status
    }

    init?(of descriptor: Int32) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        self.status = status
    }

    /// The number of the account that it belongs to.
    package var owner: UInt32 { status.st_uid }

    /// Length in bytes.
    var count: Int { status.st_size }

    /// Whether it is a regular file: not a directory, pipe or device.
    package var isPlainFile: Bool { status.st_mode & S_IFMT == S_IFREG }

    /// Whether it is a directory.
    package var isDirectory: Bool { status.st_mode & S_IFMT == S_IFDIR }

    /// The permissions alone, without the kind of file.
    var permissions: UInt32 { status.st_mode & 0o7777 }

    /// Whether both are one file, by whatever names.
    package func isSameFile(as other: FileStatus) -> Bool {
        status.st_ino == other.status.st_ino && status.st_dev == other.status.st_dev
    }

    /// Whether there is certainly nothing at a path; false also if that cannot be found out.
    package static func isMissing(_ path: String) -> Bool { unsafe access(path, F_OK) != 0 && errno == ENOENT }

    /// Whether this process may run the file.
    package static func isExecutable(_ path: String) -> Bool { unsafe access(path, X_OK) == 0 }
}
