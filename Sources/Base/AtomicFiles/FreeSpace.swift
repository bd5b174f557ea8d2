internal import Glibc

/// What is free on a file system for accounts other than root.
public struct FreeSpace: Equatable, Sendable {
    /// In bytes; nil if the file system does not tell.
    public let bytes: Int?
    /// How many files can still be made; nil if the file system has no limit of its own for them.
    public let files: Int?
}

extension Directory {
    /// What is free where this directory is (statvfs(3)).
    package func freeSpace() throws(FileError) -> FreeSpace {
        var status = statvfs()
        guard uninterrupted({ unsafe fstatvfs(descriptor, &status) }) == 0 else {
            throw FileError(.read, path: path, code: errno)
        }
        let (bytes, isLarger) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return FreeSpace(
            bytes: status.f_blocks == 0 ? nil : isLarger ? .max : Int(clamping: bytes),
            files: status.f_files == 0 ? nil : Int(clamping: status.f_favail))
    }
}
