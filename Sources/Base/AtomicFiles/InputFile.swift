internal import CLinux
internal import Glibc

/// A plain file that is read piece by piece, for content that does not fit into memory.
public final class InputFile {
    /// The directory's path as it was given, and the file's name; for messages.
    public let path: String
    /// Its length in bytes when it was opened.
    public let count: Int
    private let descriptor: Int32

    fileprivate init(descriptor: Int32, path: String, count: Int) {
        self.descriptor = descriptor
        self.path = path
        self.count = count
    }

    deinit {
        close(descriptor)
    }

    /// Reads the next bytes.
    /// - Returns: how many, from the front of `bytes`; 0 only at the end of the file, or if `bytes` is empty.
    public func read(into bytes: inout MutableSpan<UInt8>) throws(FileError) -> Int {
        guard !bytes.isEmpty else { return 0 }
        while true {
            let read = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
                unsafe Glibc.read(descriptor, buffer.baseAddress!, buffer.count)
            }
            if read < 0 && errno == EINTR { continue }
            guard read >= 0 else { throw FileError(.read, path: path, code: errno) }
            return read
        }
    }

    /// Reads bytes at an offset. `read(into:)` goes on where it was.
    /// - Parameter offset: from the start of the file.
    /// - Returns: how many, from the front of `bytes`; fewer than fit only at the end of the file.
    package func read(into bytes: inout MutableSpan<UInt8>, at offset: Int) throws(FileError) -> Int {
        try Directory.read(descriptor, into: &bytes, at: offset, path: path)
    }
}

extension Directory {
    /// Reads bytes of an open file at an offset from its start.
    /// - Returns: how many, from the front of `bytes`; fewer than fit only at the end of the file.
    static func read(
        _ file: Int32, into bytes: inout MutableSpan<UInt8>, at offset: Int, path: String
    ) throws(FileError) -> Int {
        var used = 0
        while used < bytes.count {
            let read = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
                unsafe pread(file, buffer.baseAddress! + used, buffer.count - used, offset + used)
            }
            if read < 0 && errno == EINTR { continue }
            guard read >= 0 else { throw FileError(.read, path: path, code: errno) }
            if read == 0 { break }
            used += read
        }
        return used
    }

    /// Opens a plain file of this directory for reading.
    /// - Throws: `.missing`; `.wrongKind` for a link, a directory or a special file; under `.secret` also `.notOurs`
    ///   and `.exposed`.
    public func inputFile(_ name: String) throws(FileError) -> InputFile {
        // O_NONBLOCK: opening a FIFO that somebody put here must not wait for a writer.
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        let file = unsafe keytool_openat(descriptor, name, flags, 0)
        guard file >= 0 else { throw FileError(.open, path: path(of: name), code: errno) }
        do throws(FileError) {
            let status = try Self.status(of: file, path: path(of: name))
            try check(status, name)
            return InputFile(descriptor: file, path: path(of: name), count: Int(status.st_size))
        } catch {
            close(file)
            throw error
        }
    }
}
