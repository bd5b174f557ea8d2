internal import CLinux
internal import Glibc

extension Folder {
    /// What a write does where the name is taken.
    public enum Existing: Sendable {
        case replace
        /// Fail with `.exists`; two writers at once get one success.
        case refuse
    }

    /// Writes a file whole or not at all: a temporary file beside it, fsync, rename, fsync of the folder.
    ///
    /// The temporary name is fixed, `.NAME.new`: one that a killed process left is replaced by the next
    /// write. Writers of one name exclude each other by a lock.
    /// - Throws: `FileError`; then the old file (or none) is what stands there.
    public func write(_ name: String, _ bytes: Span<UInt8>, existing: Existing = .replace) throws(FileError) {
        let temporary = ".\(name).new"
        if let old = try status(name) {
            if existing == .refuse { throw .exists(path: path(of: name)) }
            try check(old, name)
        }
        guard unsafe unlinkat(descriptor, temporary, 0) == 0 || errno == ENOENT else {
            throw FileError(.remove, path: path(of: temporary), code: errno)
        }
        do throws(FileError) {
            try writeWhole(temporary, bytes)
            try rename(temporary, to: name, existing: existing)
        } catch {
            unsafe unlinkat(descriptor, temporary, 0)
            throw error
        }
    }

    /// Renames within this folder and makes it last.
    public func rename(_ name: String, to newName: String, existing: Existing) throws(FileError) {
        let result =
            switch existing {
            case .replace: unsafe renameat(descriptor, name, descriptor, newName)
            case .refuse: unsafe keytool_rename_noreplace(descriptor, name, newName)
            }
        guard result == 0 else { throw FileError(.rename, path: path(of: newName), code: errno) }
        try sync()
    }

    private func writeWhole(_ name: String, _ bytes: Span<UInt8>) throws(FileError) {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = unsafe keytool_openat(descriptor, name, flags, 0o600)
        guard file >= 0 else { throw FileError(.open, path: path(of: name), code: errno) }
        var isOpen = true
        defer { if isOpen { close(file) } }
        var written = 0
        while written < bytes.count {
            let result = unsafe bytes.withUnsafeBufferPointer { buffer in
                unsafe Glibc.write(file, buffer.baseAddress! + written, buffer.count - written)
            }
            if result < 0 && errno == EINTR { continue }
            guard result >= 0 else { throw .system(.write, path: path(of: name), code: errno) }
            written += result
        }
        guard fsync(file) == 0 else { throw .system(.sync, path: path(of: name), code: errno) }
        // A network file system may report a failed write only here.
        isOpen = false
        guard close(file) == 0 else { throw .system(.write, path: path(of: name), code: errno) }
    }
}
