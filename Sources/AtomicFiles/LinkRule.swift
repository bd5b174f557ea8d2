internal import Glibc

/// When the path of a secret folder may be a link: systemd's `DynamicUser=` makes one. It may be
/// followed if nobody but root and we could have made it or can redirect it.
enum LinkRule {
    /// - Returns: `path` itself, or what the link leads to.
    /// - Throws: `.unsafeLink` where the link, its target or a folder above either of them belongs to
    ///   another account or is writable for others (sticky folders such as /tmp excepted).
    static func resolve(_ path: String) throws(FileError) -> String {
        var status = stat()
        // "/" and "/." at the end would make lstat follow the link.
        var path = path
        while path.utf8.count > 1 && (path.utf8.last == UInt8(ascii: "/") || path.hasSuffix("/.")) { path.removeLast() }
        guard unsafe lstat(path, &status) == 0 else { throw FileError(.open, path: path, code: errno) }
        guard status.st_mode & S_IFMT == S_IFLNK else { return path }
        guard isTrusted(status.st_uid), let target = real(path), let parent = real(folder(above: path)) else {
            throw .unsafeLink(path: path)
        }
        for start in [parent, target] {
            var place = start
            while true {
                guard unsafe lstat(place, &status) == 0 else { throw FileError(.open, path: place, code: errno) }
                let isWritable = status.st_mode & 0o022 != 0 && status.st_mode & S_ISVTX == 0
                guard isTrusted(status.st_uid), !isWritable else { throw .unsafeLink(path: place) }
                if place == "/" { break }
                place = folder(above: place)
            }
        }
        return target
    }

    private static func isTrusted(_ owner: uid_t) -> Bool { owner == 0 || owner == geteuid() }

    static func folder(above path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func real(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}
