internal import Glibc

/// When the path of a secret folder may be a link: systemd's `DynamicUser=` makes one. It may be
/// followed if nobody but root and we could have made it or can redirect it.
enum LinkRule {
    /// Links in a row that are followed; as many as the kernel follows.
    private static let maxLinks = 40

    /// - Returns: `path` itself, or what the link leads to.
    /// - Throws: `.unsafeLink` where a link, the target or a folder above one of them belongs to another
    ///   account or is writable for others (sticky folders such as /tmp excepted).
    static func resolve(_ path: String) throws(FileError) -> String {
        var place = withoutTail(path)
        guard try kind(of: place, path) == S_IFLNK else { return place }
        for _ in 0..<maxLinks {
            let above = folder(above: place)
            try requireTrust(in: place, path)
            try requireTrustAbove(above, path)
            guard let target = target(of: place) else { throw .system(.open, path: path, code: errno) }
            place = target.utf8.first == slash ? withoutTail(target) : withoutTail(above + "/" + target)
            // A link to nowhere could be given a target by somebody else.
            guard let kind = try? kind(of: place, path) else { break }
            if kind != S_IFLNK {
                try requireTrustAbove(place, path)
                return place
            }
        }
        throw .unsafeLink(path: path)
    }

    /// The folder that a path is in.
    static func folder(above path: String) -> String {
        // By bytes: a slash with a combining mark is a slash.
        let bytes = Array(path.utf8)
        guard let end = bytes.lastIndex(of: slash) else { return "." }
        return end == 0 ? "/" : String(decoding: bytes[..<end], as: UTF8.self)
    }

    private static let slash = UInt8(ascii: "/")

    /// The path without "/" and "/." at its end, which would make lstat follow a link.
    private static func withoutTail(_ path: String) -> String {
        var bytes = Array(path.utf8)
        while bytes.count > 1, bytes.last == slash || bytes.suffix(2) == [slash, UInt8(ascii: ".")] {
            bytes.removeLast()
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func kind(of place: String, _ path: String) throws(FileError) -> mode_t {
        try status(of: place, path).st_mode & S_IFMT
    }

    private static func status(of place: String, _ path: String) throws(FileError) -> stat {
        var status = stat()
        guard unsafe lstat(place, &status) == 0 else { throw FileError(.open, path: path, code: errno) }
        return status
    }

    private static func requireTrust(in place: String, _ path: String) throws(FileError) {
        let owner = try status(of: place, path).st_uid
        guard owner == 0 || owner == geteuid() else { throw .unsafeLink(path: place) }
    }

    /// Every folder from the root down to `place`, it included, with its links resolved.
    private static func requireTrustAbove(_ place: String, _ path: String) throws(FileError) {
        guard var folder = real(place) else { throw FileError(.open, path: path, code: errno) }
        while true {
            try requireTrust(in: folder, path)
            let mode = try status(of: folder, path).st_mode
            guard mode & 0o022 == 0 || mode & S_ISVTX != 0 else { throw .unsafeLink(path: folder) }
            if folder == "/" { return }
            folder = self.folder(above: folder)
        }
    }

    private static func real(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    private static func target(of link: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
            unsafe readlink(link, bytes.baseAddress!.assumingMemoryBound(to: CChar.self), bytes.count)
        }
        return count > 0 ? String(decoding: buffer.prefix(count), as: UTF8.self) : nil
    }
}
