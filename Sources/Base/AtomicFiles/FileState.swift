internal import CLinux
internal import Glibc

/// Tells one state of a file's content from all later ones: by device, inode, length and the time of the last change
/// (ctime). The kernel sets that time at each write and each rename; no program can choose it.
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
        self.init(status)
    }

    /// The present state, which a change within the same tick of the kernel's clock may share.
    fileprivate init(_ status: stat) {
        device = status.st_dev
        inode = status.st_ino
        length = Int(status.st_size)
        seconds = status.st_ctim.tv_sec
        nanoseconds = status.st_ctim.tv_nsec
    }
}

extension Directory {
    /// The present state of a plain file, to see later whether it was changed or replaced.
    /// - Throws: as `requirePlainFile`.
    package func presentState(of name: String) throws(FileError) -> FileState {
        guard let status = try status(name) else { throw .missing(path: path(of: name)) }
        try check(status, name)
        return FileState(status)
    }
}
