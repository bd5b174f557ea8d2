internal import CLinux
internal import Glibc

/// Decides if the path of a secret directory may be a link, as systemd's `DynamicUser=` makes one. It may, if only root
/// and this account could have made it and can change it.
enum LinkRule {
    /// Most links that are followed, as in the kernel.
    private static let maxLinks = 40

    /// Resolves the path step by step if its last step is a link.
    /// - Returns: `path`, or the target without any link.
    /// - Throws: `.unsafeLink` if a link or directory on the way belongs to another account than root and this one, if
    ///   a directory is writable for others (except sticky ones such as /tmp), or if the target does not exist.
    static func resolve(_ path: String) throws(FileError) -> String {
        let place = withoutTail(path)
        var status = stat()
        guard uninterrupted({ unsafe lstat(place, &status) }) == 0 else {
            throw FileError(.open, path: path, code: errno)
        }
        guard status.st_mode & S_IFMT == S_IFLNK else { return place }

        var way = steps(of: place.utf8.first == slash ? place : workingDirectory + "/" + place)[...]
        var reached = ""
        var links = 0
        while let step = way.popFirst() {
            if step == ".." {
                reached = reached.isEmpty ? "" : withoutRoot(directory(above: reached))
                continue
            }
            let here = reached + "/" + step
            // Another account could create a missing target.
            guard uninterrupted({ unsafe lstat(here, &status) }) == 0 else { throw .unsafeLink(path: path) }
            guard status.st_uid == 0 || status.st_uid == geteuid() else { throw .unsafeLink(path: here) }
            if status.st_mode & S_IFMT == S_IFLNK {
                links += 1
                guard links <= maxLinks, let target = target(of: here) else { throw .unsafeLink(path: path) }
                if target.utf8.first == slash { reached = "" }
                way = steps(of: target) + way
            } else {
                guard status.st_mode & 0o022 == 0 || status.st_mode & S_ISVTX != 0 else {
                    throw .unsafeLink(path: here)
                }
                reached = here
            }
        }
        return reached.isEmpty ? "/" : reached
    }

    /// The directory that contains `path`.
    static func directory(above path: String) -> String {
        let bytes = Array(path.utf8)
        guard let end = bytes.lastIndex(of: slash) else { return "." }
        return end == 0 ? "/" : String(decoding: bytes[..<end], as: UTF8.self)
    }

    // Paths are bytes: a slash with a combining mark is a slash, though it is another `Character`.
    private static let slash = UInt8(ascii: "/")
    private static let dot = UInt8(ascii: ".")

    /// The path without "/" and "/." at its end, which would make lstat follow a link.
    private static func withoutTail(_ path: String) -> String {
        var bytes = Array(path.utf8)
        while bytes.count > 1, bytes.last == slash || bytes.suffix(2) == [slash, dot] { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func withoutRoot(_ path: String) -> String { path == "/" ? "" : path }

    private static func steps(of path: String) -> [String] {
        Array(path.utf8).split(separator: slash).map { String(decoding: $0, as: UTF8.self) }.filter { $0 != "." }
    }

    private static var workingDirectory: String {
        guard let path = unsafe getcwd(nil, 0) else { return "" }
        defer { unsafe free(path) }
        return unsafe String(cString: path)
    }

    private static func target(of link: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
            unsafe readlink(link, bytes.baseAddress!.assumingMemoryBound(to: CChar.self), bytes.count)
        }
        return count > 0 ? String(decoding: buffer.prefix(count), as: UTF8.self) : nil
    }
}
