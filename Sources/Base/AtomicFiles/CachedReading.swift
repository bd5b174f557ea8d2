internal import CLinux
internal import Glibc

// What the kernel answers from memory, for threads that must not wait for a disk or a network. Before Linux 5.12 it
// answers nothing. Ask only in a directory that `mayAnswerAtOnce`.

extension Directory {
    /// Whether the directory is on a disk of this machine, by a file system that reads from memory alone if it is asked
    /// to. On another one, opening a file may wait for a server.
    package var mayAnswerAtOnce: Bool {
        // As the kernel's headers have them.
        let (ext4, xfs, btrfs): (UInt, UInt, UInt) = (0xef53, 0x5846_5342, 0x9123_683e)
        return [ext4, xfs, btrfs].contains(keytool_file_system(descriptor))
    }

    /// Reads a file whose content is not secret, if all of it is in the kernel's memory.
    /// - Parameters:
    ///   - path: relative to this directory. No step of it may be a link.
    ///   - limit: in bytes; it is checked before memory is taken.
    ///   - now: as for `readPublic`.
    /// - Returns: nil if the file would have to be waited for, and if it cannot be read or is empty.
    package func readPublicAtOnce(
        _ path: String, limit: Int, at now: Int
    ) -> (content: [UInt8], state: FileState?)? {
        let file = unsafe keytool_open_cached(descriptor, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        guard let status = try? Self.status(of: file, path: path), (try? check(status, path)) != nil,
            status.st_size > 0, status.st_size <= limit
        else { return nil }
        let size = Int(status.st_size)
        let content = unsafe [UInt8](unsafeUninitializedCapacity: size) { bytes, count in
            count = unsafe max(0, keytool_read_cached(file, bytes.baseAddress!, UInt(size)))
        }
        return content.count == size ? (content, FileState(settled: status, at: now)) : nil
    }

    /// Identity, modification time in milliseconds and length of a plain file, if the kernel has them in memory.
    /// - Returns: nil if they would have to be waited for, and for anything else than a plain file.
    package func stateAtOnce(of name: String) -> (identity: FileIdentity, modified: Int64, count: Int)? {
        let file = unsafe keytool_open_cached(descriptor, name, keytool_O_PATH | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        guard let status = try? Self.status(of: file, path: name), (try? check(status, name)) != nil,
            let identity = try? FileIdentity("", in: file, path: name)
        else { return nil }
        return (identity, Self.milliseconds(status.st_mtim), Int(status.st_size))
    }

    /// Whether the kernel has in memory that the name does not exist.
    /// - Returns: false also if it would have to look.
    package func isMissingAtOnce(_ name: String) -> Bool {
        let file = unsafe keytool_open_cached(descriptor, name, keytool_O_PATH | O_CLOEXEC)
        guard file < 0 else {
            close(file)
            return false
        }
        return errno == ENOENT
    }
}
