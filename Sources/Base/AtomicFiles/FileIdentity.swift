internal import CLinux
internal import Glibc

/// Identifies a file by the number of its inode and the inode's time of birth, because numbers are reused. A copy has
/// another identity. So has a restored file, unless the old one was overwritten in place.
package struct FileIdentity: Equatable, Sendable {
    /// Unique on its file system.
    package let inode: UInt64
    /// Nanoseconds since the epoch; 0 if the file system does not store it.
    package let birth: UInt64

    /// An identity that was stored.
    package init(inode: UInt64, birth: UInt64) {
        self.inode = inode
        self.birth = birth
    }

    /// - Parameters:
    ///   - name: of a file in the directory `descriptor`; empty for the open file `descriptor` itself.
    ///   - path: for messages.
    init(_ name: String, in descriptor: Int32, path: String) throws(FileError) {
        var (inode, birth): (UInt64, UInt64) = (0, 0)
        guard uninterrupted({ unsafe keytool_file_identity(descriptor, name, &inode, &birth) }) == 0 else {
            throw FileError(.open, path: path, code: errno)
        }
        self.init(inode: inode, birth: birth)
    }
}

extension Directory {
    /// The identity of a plain file.
    /// - Throws: `.wrongKind` if the name is a link, a directory or a special file; `.missing`; under `.secret` also as
    ///   `requirePlainFile`.
    package func identity(of name: String) throws(FileError) -> FileIdentity {
        try requirePlainFile(name)
        return try FileIdentity(name, in: descriptor, path: path(of: name))
    }

    /// Removes a file if it still has this identity. Another file of that name stays, unless it comes between the look
    /// and the removal: the kernel has no call for both.
    /// - Throws: as `identity(of:)`, then nothing was removed; `FileError`.
    package func remove(_ name: String, if identity: FileIdentity) throws(FileError) {
        if try self.identity(of: name) == identity { try remove(name) }
    }

    /// The present absolute path of this directory, without links, for libraries that need a path. The path may change
    /// at any time: compare with `holds(_:at:)`.
    package func currentPath() throws(FileError) -> String {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink("/proc/self/fd/\(descriptor)", &bytes, bytes.count)
        guard count > 0, count < bytes.count, bytes[0] == UInt8(ascii: "/"), !bytes[..<count].contains(0) else {
            throw FileError(.open, path: path, code: count < 0 ? errno : ENAMETOOLONG)
        }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    /// Whether an absolute path leads to the file `name` in this directory, by its device and inode.
    package func holds(_ name: String, at path: String) throws(FileError) -> Bool {
        guard let here = try status(name) else { return false }
        var there = stat()
        guard uninterrupted({ unsafe lstat(path, &there) }) == 0 else { return false }
        return here.st_ino == there.st_ino && here.st_dev == there.st_dev
    }
}
