internal import CLinux
internal import Glibc

/// Tells one state of a file's content from later ones: by device, inode, length and a time. For a settled state it is that
/// of the last change (ctime), which the kernel sets at each write and each rename; no program can choose it. For a present
/// one it is that of the last write (mtime): a new mode or another link to the file changes no content.
package struct FileState: Hashable, Sendable {
    private let device: UInt
    private let inode: UInt
    private let length: Int
    private let seconds: Int
    private let nanoseconds: Int

    /// Two writes within one tick of the kernel's clock leave the same time. After so many seconds, a write leaves
    /// another one, also if a network file system counts in seconds.
    private static let settlingSeconds = 2

    /// - Parameters:
    ///   - status: of the open file, from before its content was read.
    ///   - now: in seconds since the epoch.
    /// - Returns: nil if the file has changed just now, so that a further change might leave no trace; also if its time
    ///   is in the future.
    init?(settled status: stat, at now: Int) {
        guard status.st_ctim.tv_sec < now - Self.settlingSeconds else { return nil }
        self.init(status, status.st_ctim)
    }

    fileprivate init(_ status: stat, _ time: timespec) {
        device = status.st_dev
        inode = status.st_ino
        length = Int(status.st_size)
        seconds = time.tv_sec
        nanoseconds = time.tv_nsec
    }
}

extension Directory {
    /// The present state of a plain file, to see later whether it was changed or replaced. A change within the same tick of
    /// the kernel's clock may share it.
    /// - Throws: as `requirePlainFile`.
    package func presentState(of name: String) throws(FileError) -> FileState {
        guard let status = try status(name) else { throw .missing(path: path(of: name)) }
        try check(status, name)
        return FileState(status, status.st_mtim)
    }
}
