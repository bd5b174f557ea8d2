import CLinux
import Glibc

/// A regular file that is open for reading.
package struct PlainFile: ~Copyable {
    let descriptor: Int32

    /// - Throws: `PlainFileError`. A pipe that nobody writes to is not waited for.
    package init(_ path: String) throws(PlainFileError) {
        let file = unsafe keytool_openat(AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY, 0)
        guard file >= 0 else { throw .notReadable(code: errno) }
        guard FileStatus(of: file)?.isPlainFile == true else {
            close(file)
            throw .notPlain
        }
        descriptor = file
    }

    deinit {
        close(descriptor)
    }

    /// The first `count` bytes, or fewer if the file is shorter. The file offset does not change.
    package func head(_ count: Int) throws(PlainFileError) -> [UInt8] {
        var head = [UInt8](repeating: 0, count: count)
        let read = unsafe pread(descriptor, &head, count, 0)
        guard read >= 0 else { throw .notReadable(code: errno) }
        head.removeLast(count - read)
        return head
    }

    /// Length in bytes.
    package var count: Int { FileStatus(of: descriptor)?.count ?? 0 }

    /// `count` bytes from `offset` on, or fewer if the file ends there. The file offset does not change.
    package func read(_ offset: Int, _ count: Int) throws(PlainFileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var used = 0
        while used < count {
            let read = unsafe bytes.withUnsafeMutableBytes { bytes in
                unsafe pread(descriptor, bytes.baseAddress! + used, count - used, off_t(offset + used))
            }
            if read < 0 && errno == EINTR { continue }
            guard read >= 0 else { throw .notReadable(code: errno) }
            if read == 0 { break }
            used += read
        }
        bytes.removeLast(count - used)
        return bytes
    }
}

/// Why a file was not opened or read.
package enum PlainFileError: Error {
    /// `code` is the errno.
    case notReadable(code: Int32)
    /// A directory, a pipe or a device.
    case notPlain
}
