internal import CLinux
internal import Glibc

/// A file that is being written piece by piece. `Directory.write(_:existing:pieces:)` lends it.
public final class OutputFile {
    /// The path under which the file appears when it is complete, for messages.
    public let path: String
    private let descriptor: Int32
    private var isOpen = true

    fileprivate init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit {
        if isOpen { Glibc.close(descriptor) }
    }

    /// Appends bytes to the file. It must not be called after the closure that the file was lent to has returned.
    public func write(_ bytes: Span<UInt8>) throws(FileError) {
        precondition(isOpen, "the file is complete")
        try Directory.write(bytes, to: descriptor, path: path)
    }

    /// Reads what was written, to verify it before the file gets its name.
    /// - Parameter offset: from the start of the file.
    /// - Returns: how many bytes, from the front of `bytes`; fewer than fit only at the end of the file.
    package func read(into bytes: inout MutableSpan<UInt8>, at offset: Int) throws(FileError) -> Int {
        precondition(isOpen, "the file is complete")
        return try Directory.read(descriptor, into: &bytes, at: offset, path: path)
    }

    /// Has the kernel write to the disk what it holds of the file, which can fail.
    package func sync() throws(FileError) {
        precondition(isOpen, "the file is complete")
        guard uninterrupted({ fsync(descriptor) }) == 0 else { throw .system(.sync, path: path, code: errno) }
    }

    /// The identity that the file will have under its name.
    package func identity() throws(FileError) -> FileIdentity {
        precondition(isOpen, "the file is complete")
        return try FileIdentity("", in: descriptor, path: path)
    }

    /// - Returns: as close(2), whose failure may be that of a write on a network file system.
    fileprivate func close() -> Int32 {
        isOpen = false
        return Glibc.close(descriptor)
    }

    /// Completes the file. It stays open if this fails.
    fileprivate func finish(
        in directory: borrowing Directory, _ name: String, _ readers: Directory.Readers
    ) throws(FileError) {
        try directory.finish(descriptor, name, readers, nil)
    }

    /// Gives a file without a name one.
    fileprivate func link(as name: String, in directory: borrowing Directory) -> Int32 {
        uninterrupted {
            unsafe linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", directory.descriptor, name, AT_SYMLINK_FOLLOW)
        }
    }
}

extension Directory {
    /// Writes a file piece by piece, for content that does not fit into memory. The file has its name only after
    /// `pieces` has returned and everything is synced.
    ///
    /// Until then it has no name at all, so that nothing remains of a process that dies. If the file system does not
    /// support such files, it has a temporary name, as in the other writes, and signals that end the process are
    /// deferred until `pieces` returns.
    /// - Throws: `FileError`, or what `pieces` throws; then an old file is unchanged.
    public func write(
        _ name: String, existing: Existing, readers: Readers = .owner, pieces: (OutputFile) throws -> Void
    ) throws {
        if let old = try status(name) {
            if existing == .refuse { throw FileError.exists(path: path(of: name)) }
            try check(old, name)
        }
        if rule == .shared { sweepLeftovers(of: name) }
        let temporary = temporaryName(name)
        guard let file = unnamedFile(name) else {
            return try EndingSignals.held { try writeNamed(name, temporary, existing, readers: readers, pieces) }
        }
        try pieces(file)
        try file.finish(in: self, name, readers)
        try EndingSignals.held { () throws(FileError) in try give(file, name, temporary, existing) }
    }

    /// - Returns: nil if the file system does not support files without a name, or if they cannot be named later,
    ///   without /proc.
    private func unnamedFile(_ name: String) -> OutputFile? {
        let descriptor = unsafe keytool_openat(descriptor, ".", O_RDWR | keytool_O_TMPFILE | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
        let file = OutputFile(descriptor: descriptor, path: path(of: name))
        return unsafe access("/proc/self/fd/\(descriptor)", F_OK) == 0 ? file : nil
    }

    /// Gives a complete file its name.
    private func give(
        _ file: OutputFile, _ name: String, _ temporary: String, _ existing: Existing
    ) throws(FileError) {
        if existing == .refuse {
            guard file.link(as: name, in: self) == 0 else {
                throw FileError(.rename, path: path(of: name), code: errno)
            }
            return try sync()
        }
        // A link cannot replace a name, but a renaming can.
        try discard(temporary)
        guard file.link(as: temporary, in: self) == 0 else {
            throw FileError(.rename, path: path(of: temporary), code: errno)
        }
        do throws(FileError) {
            try rename(temporary, to: name, existing: existing)
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// Writes a file that has a temporary name until it is complete.
    func writeNamed(
        _ name: String, _ temporary: String, _ existing: Existing, readers: Readers = .owner,
        _ pieces: (OutputFile) throws -> Void
    ) throws {
        try discard(temporary)
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let descriptor = unsafe keytool_openat(descriptor, temporary, flags, 0o600)
        guard descriptor >= 0 else { throw FileError(.open, path: path(of: temporary), code: errno) }
        let file = OutputFile(descriptor: descriptor, path: path(of: name))
        do {
            try pieces(file)
            try file.finish(in: self, name, readers)
            guard file.close() == 0 else { throw FileError.system(.write, path: path(of: name), code: errno) }
            try rename(temporary, to: name, existing: existing)
        } catch {
            unlink(temporary)
            throw error
        }
    }
}
