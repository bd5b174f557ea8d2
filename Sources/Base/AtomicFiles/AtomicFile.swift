internal import CLinux
internal import Glibc
package import SecureMemory

extension Directory {
    /// What a write does if the name exists.
    public enum Existing: Equatable, Sendable {
        case replace
        /// Fail with `.exists`. If two writers race, at most one succeeds.
        case refuse
    }

    /// Who may read the written file. Only its owner may write it.
    public enum Readers: Sendable {
        /// Mode 0600.
        case owner
        /// Mode 0644.
        case everybody
    }

    /// Writes a file whole or not at all: a temporary file beside it, fsync, rename, fsync of the directory.
    ///
    /// Under `.secret` the temporary name is `.NAME.new`: the next write replaces a file that a killed process left,
    /// and writers of one name exclude each other by a lock. Under `.shared` the name is random and names the process,
    /// because others write there too (see `sweepLeftovers`).
    /// - Parameters:
    ///   - time: the modification time, in milliseconds since the epoch; nil for that of the system's clock.
    ///   - isSweeping: under `.shared`, look for temporary files of killed writers, which reads all names of the
    ///     directory. A server does this now and then, and not at each write.
    /// - Throws: `FileError`; then the old file is unchanged.
    package func write(
        _ name: String, _ bytes: Span<UInt8>, existing: Existing = .replace, readers: Readers = .owner,
        modified time: Int64? = nil, isSweeping: Bool = true
    ) throws(FileError) {
        // A file without a name vanishes if the process dies.
        if rule == .shared, existing == .refuse, try writeUnnamed(name, bytes, readers, time) { return try sync() }
        let temporary = temporaryName(name)
        if let old = try status(name) {
            if existing == .refuse { throw .exists(path: path(of: name)) }
            try check(old, name)
        }
        // A random name is free. To look for it in a directory in which others write would cost a turn among them.
        if rule == .secret { try discard(temporary) }
        if rule == .shared, isSweeping { sweepLeftovers(of: name) }
        try EndingSignals.held { () throws(FileError) in
            do throws(FileError) {
                try writeWhole(temporary, bytes, readers, time)
                try rename(temporary, to: name, existing: existing)
            } catch {
                unlink(temporary)
                throw error
            }
        }
    }

    /// Replaces a file, after `proof` has accepted the new content as it was read back.
    /// - Throws: `FileError`, or the error of `proof`; then the old file is unchanged.
    package func replace(
        _ name: String, _ bytes: Span<UInt8>, proof: (consuming SecureBytes) throws -> Void
    ) throws {
        try requirePlainFile(name)
        let temporary = temporaryName(name)
        try EndingSignals.held {
            do {
                try discard(temporary)
                try writeWhole(temporary, bytes, .owner, nil)
                try proof(try read(temporary, limit: bytes.count))
                try rename(temporary, to: name, existing: .replace)
            } catch {
                unlink(temporary)
                throw error
            }
        }
    }

    /// Removes a temporary file that a killed writer left.
    func discard(_ temporary: String) throws(FileError) {
        guard unlink(temporary) == 0 || errno == ENOENT else {
            throw FileError(.remove, path: path(of: temporary), code: errno)
        }
    }

    func temporaryName(_ name: String) -> String {
        rule == .shared ? sharedTemporaryName(name) : ".\(name).new"
    }

    /// Renames a file in this directory and syncs the directory.
    package func rename(_ name: String, to newName: String, existing: Existing) throws(FileError) {
        var result =
            switch existing {
            case .replace: uninterrupted { unsafe renameat(descriptor, name, descriptor, newName) }
            case .refuse: uninterrupted { unsafe keytool_rename_noreplace(descriptor, name, descriptor, newName) }
            }
        if existing == .refuse, result != 0, errno == EINVAL {
            // Some network file systems do not support this flag. Then a look is enough, because the callers hold a
            // lock.
            if try contains(newName) { throw .exists(path: path(of: newName)) }
            result = uninterrupted { unsafe renameat(descriptor, name, descriptor, newName) }
        }
        guard result == 0 else { throw FileError(.rename, path: path(of: newName), code: errno) }
        try sync()
    }

    /// Keeps a file that is about to be replaced: it gets a second name, `NAME.NUMBER` with the least number from 1 on
    /// that is free. On a file system without second names it is renamed. A process that dies before the replacement
    /// leaves the file under both names, or under the new one only.
    /// - Returns: the new name.
    package func keep(_ name: String) throws(FileError) -> String {
        var number = 1
        while true {
            let other = "\(name).\(number)"
            do throws(FileError) {
                if try !link(name, into: self, as: other) { try rename(name, to: other, existing: .refuse) }
                return other
            } catch {
                guard case .exists = error else { throw error }
                number += 1
            }
        }
    }

    /// Takes back what `keep` has done, if the file was not replaced.
    package func takeBack(_ other: String, of name: String) throws(FileError) {
        guard try contains(name) else { return try rename(other, to: name, existing: .refuse) }
        if try identity(of: name) == identity(of: other) { try remove(other) }
    }

    /// Gives a file a second name in another directory of the same file system, and syncs that directory. An existing
    /// name is not replaced.
    /// - Returns: false if the file system has no second names; then nothing was done.
    /// - Throws: `.exists` if the new name exists; `.missing` if the file does not.
    package func link(
        _ name: String, into other: borrowing Directory, as newName: String
    ) throws(FileError) -> Bool {
        let result = uninterrupted { unsafe linkat(descriptor, name, other.descriptor, newName, 0) }
        guard result == 0 else {
            if [EPERM, EOPNOTSUPP, ENOSYS, EMLINK, EXDEV].contains(errno) { return false }
            throw FileError(.rename, path: errno == ENOENT ? path(of: name) : other.path(of: newName), code: errno)
        }
        try other.sync()
        return true
    }

    /// Writes a file without a name, and names it when it is complete. Does not sync the directory.
    /// - Returns: false if the file system does not support such files; then nothing was done.
    /// - Throws: `FileError`, for example `.exists`; then nothing was done.
    func writeUnnamed(
        _ name: String, _ bytes: Span<UInt8>, _ readers: Readers, _ time: Int64?
    ) throws(FileError) -> Bool {
        let flags = O_WRONLY | keytool_O_TMPFILE | O_CLOEXEC
        let file = unsafe keytool_openat(descriptor, ".", flags, 0o600)
        guard file >= 0 else { return false }
        defer { close(file) }
        try write(bytes, to: file, name, readers, time)
        let result = uninterrupted {
            unsafe linkat(AT_FDCWD, "/proc/self/fd/\(file)", descriptor, name, AT_SYMLINK_FOLLOW)
        }
        guard result == 0 else {
            // The file cannot be named without /proc.
            if errno == ENOENT { return false }
            throw FileError(.rename, path: path(of: name), code: errno)
        }
        return true
    }

    private func writeWhole(
        _ name: String, _ bytes: Span<UInt8>, _ readers: Readers, _ time: Int64?
    ) throws(FileError) {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = unsafe keytool_openat(descriptor, name, flags, 0o600)
        guard file >= 0 else { throw FileError(.open, path: path(of: name), code: errno) }
        var isOpen = true
        defer { if isOpen { close(file) } }
        try write(bytes, to: file, name, readers, time)
        // A network file system may report a failed write only here.
        isOpen = false
        guard close(file) == 0 else { throw .system(.write, path: path(of: name), code: errno) }
    }

    /// Writes all bytes to an open file and syncs it.
    private func write(
        _ bytes: Span<UInt8>, to file: Int32, _ name: String, _ readers: Readers, _ time: Int64?
    ) throws(FileError) {
        try Self.write(bytes, to: file, path: path(of: name))
        try finish(file, name, readers, time)
    }

    /// Writes all bytes to an open file.
    static func write(_ bytes: Span<UInt8>, to file: Int32, path: String) throws(FileError) {
        var written = 0
        while written < bytes.count {
            let result = unsafe bytes.withUnsafeBufferPointer { buffer in
                unsafe Glibc.write(file, buffer.baseAddress! + written, buffer.count - written)
            }
            if result < 0 && errno == EINTR { continue }
            guard result >= 0 else { throw .system(.write, path: path, code: errno) }
            written += result
        }
    }

    /// Sets permissions and time of a written file, and syncs it.
    func finish(_ file: Int32, _ name: String, _ readers: Readers, _ time: Int64?) throws(FileError) {
        if readers == .everybody, uninterrupted({ fchmod(file, 0o644) }) != 0 {
            throw .system(.write, path: path(of: name), code: errno)
        }
        if let time, !Self.setModificationTime(of: file, milliseconds: time) {
            throw .system(.write, path: path(of: name), code: errno)
        }
        guard uninterrupted({ fsync(file) }) == 0 else { throw .system(.sync, path: path(of: name), code: errno) }
    }
}
