internal import CLinux
internal import Glibc

/// The removal of a directory with all that is in it. Names are bytes: somebody else may have put a file there whose name
/// is not UTF-8.
extension Directory {
    /// Removes a directory in this one, with the files in it; one that is not there is fine.
    /// - Parameters:
    ///   - depth: how many directories may stand one in the other, that one included; a deeper one stops the removal.
    ///   - lastName: of the file that goes last: the lock, which a process that waits for it creates again.
    package func removeDirectory(_ name: String, depth: Int = 1, last lastName: String? = nil) throws(FileError) {
        guard try contains(name) else { return }
        let inner = try directory(name)
        for entry in try inner.entries().sorted(by: { $1.text == lastName && $0.text != lastName }) {
            if let text = entry.text, depth > 1, try inner.isDirectory(text) {
                try inner.removeDirectory(text, depth: depth - 1)
            } else if uninterrupted({ unsafe unlinkat(inner.descriptor, entry.bytes, 0) }) != 0
                && errno != ENOENT
            {
                throw FileError(.remove, path: inner.path(of: entry.shown), code: errno)
            }
        }
        try removeEmptyDirectory(name)
    }

    /// Removes a directory in this one that has to be empty.
    package func removeEmptyDirectory(_ name: String) throws(FileError) {
        guard unlink(name, flags: AT_REMOVEDIR) == 0 else {
            throw FileError(.remove, path: path(of: name), code: errno)
        }
        try sync()
    }

    /// Refuses a directory that `removeDirectory` would not remove to its end, before anything happens.
    /// - Throws: `.wrongKind` for a directory that is too deep, or whose name is not UTF-8; as `directory`.
    package func requireRemovable(_ name: String, depth: Int) throws(FileError) {
        let inner = try directory(name)
        for entry in try inner.entries() {
            var status = stat()
            guard unsafe fstatat(inner.descriptor, entry.bytes, &status, AT_SYMLINK_NOFOLLOW) == 0,
                status.st_mode & S_IFMT == S_IFDIR
            else { continue }
            guard depth > 1, let text = entry.text else { throw .wrongKind(path: inner.path(of: entry.shown)) }
            try inner.requireRemovable(text, depth: depth - 1)
        }
    }

    /// A name as its bytes, with a zero behind them.
    private struct Entry {
        let bytes: [CChar]
        /// nil if the name is not UTF-8.
        let text: String?
        /// For messages.
        var shown: String { text ?? "?" }
    }

    private func entries() throws(FileError) -> [Entry] {
        var entries: [Entry] = []
        try unsafe eachName { name in
            let bytes = unsafe Array(UnsafeBufferPointer(start: name, count: strlen(name) + 1))
            entries.append(Entry(bytes: bytes, text: unsafe String(validatingCString: name)))
        }
        return entries
    }
}
