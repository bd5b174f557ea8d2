import CLinux
import Encodings
import Glibc
package import SecureMemory

/// Data that a command reads: a file that the user named, or stdin.
package struct InputFile {
    private let path: String?
    private let access: Access

    private enum Access {
        /// A pipe that nobody writes to is waited for.
        case any
        case unawaited
        case plain
    }

    /// Stdin, which can be read for one purpose only.
    package static let standardInput = InputFile(path: nil)

    /// - Parameter path: nil for stdin.
    package init(path: String?) {
        self.path = path
        access = .any
    }

    /// - Parameter operand: `-` for stdin.
    package init(operand: String) { self.init(path: operand == "-" ? nil : operand) }

    /// A file of any kind; a pipe that nobody writes to is empty.
    package init(unawaited path: String) {
        self.path = path
        access = .unawaited
    }

    /// A regular file; a pipe, device or directory is refused.
    package init(plainFile path: String) {
        self.path = path
        access = .plain
    }

    /// The whole text.
    /// - Throws: `InputError`, among others `.tooLong` past `limit` bytes.
    package func read(limit: Int) throws -> String {
        guard let text = String(validating: try readBytes(.text, limit: limit), as: UTF8.self) else {
            throw InputError.notText
        }
        return text
    }

    /// The whole content, in guarded memory.
    /// - Parameters:
    ///   - content: a line ending at the end is never cut off.
    ///   - output: where to warn if others can read a file that is secret as a whole; nil for no warning.
    /// - Throws: `InputError`.
    package func readGuarded(
        _ content: Content = .notZIP, limit: Int, warning output: Output? = nil
    ) throws -> SecureBytes {
        let file = try open()
        defer { close(file) }
        if let output, let path {
            SecretFileAccess(of: file, path).warnings.forEach { output.warn("\(path) \($0)") }
        }
        // Room for a byte order mark, and for one byte that is too many.
        return try SecureBytes(capacity: limit + 4) { bytes in
            var used = 0
            while used < bytes.count {
                let count = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
                    unsafe Glibc.read(file, buffer.baseAddress! + used, buffer.count - used)
                }
                if count < 0 && errno == EINTR { continue }
                guard count >= 0 else { throw InputError.notReadable(path: name, code: errno) }
                if count == 0 { break }
                used += count
            }
            if content.isNotZIP, Self.isZIP(bytes.span.extracting(0..<min(used, 4)).revealBytes()) {
                throw InputError.isZIP(path: name)
            }
            if content == .text { used = Self.removeByteOrderMark(from: &bytes, used) }
            guard used <= limit else { throw InputError.tooLong(limit: limit) }
            return used
        }
    }

    /// Moves the bytes behind a byte order mark to the front, and wipes those that they leave behind.
    /// - Returns: how many of the `used` bytes are left.
    private static func removeByteOrderMark(from guarded: inout MutableSpan<UInt8>, _ used: Int) -> Int {
        let mark = guarded.span.extracting(0..<used).byteOrderMarkCount
        guard mark > 0 else { return used }
        for index in mark..<used { guarded[index - mark] = guarded[index] }
        for index in (used - mark)..<used { guarded[index] = 0 }
        return used - mark
    }

    /// Opens it for reading piece by piece, for what does not fit into memory or is refused by its beginning.
    /// - Throws: `InputError`.
    package func pieces() throws -> InputPieces { InputPieces(descriptor: try open(), name: name) }

    private func open() throws -> Int32 {
        if path == nil { try StandardInput.take() }
        let file =
            path.map {
                unsafe keytool_openat(
                    AT_FDCWD, $0, O_RDONLY | O_CLOEXEC | O_NOCTTY | (access == .any ? 0 : O_NONBLOCK), 0)
            } ?? dup(STDIN_FILENO)
        guard file >= 0 else { throw InputError.notReadable(path: name, code: errno) }
        guard access != .plain || FileStatus(of: file)?.isPlainFile == true else {
            close(file)
            throw InputError.notReadable(path: name, code: EINVAL)
        }
        // The opening does not wait; reading does, for who has the other end.
        if access == .unawaited { _ = fcntl(file, F_SETFL, 0) }
        return file
    }

    private var name: String { path ?? "stdin" }

    /// Whether a file that begins so is a ZIP file: `PK` and the number of its first entry's header.
    package static func isZIP(_ head: some Collection<UInt8>) -> Bool { head.starts(with: [0x50, 0x4b, 3, 4]) }

    /// What an input is expected to hold.
    package enum Content {
        /// Text: a ZIP file is refused by its name, and a byte order mark at the beginning, which editors of Windows write,
        /// is left out.
        case text
        /// Text, or bytes that may begin as a byte order mark does: a ZIP file is refused, and nothing is left out.
        case notZIP
        /// Any bytes; one line ending at their end is cut off.
        case line
        /// Any bytes as they are.
        case bytes

        fileprivate var isNotZIP: Bool { self == .text || self == .notZIP }
    }

    /// The whole content, at most `limit` bytes.
    /// - Throws: `InputError`
    package func readBytes(_ content: Content, limit: Int) throws -> [UInt8] {
        let file = try open()
        defer { close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        // A byte order mark takes away 3, a line ending 2.
        while bytes.count <= limit + 3 {
            let count = unsafe Glibc.read(file, &chunk, chunk.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw InputError.notReadable(path: name, code: errno) }
            if count == 0 { break }
            bytes += chunk.prefix(count)
        }
        if content.isNotZIP, Self.isZIP(bytes) { throw InputError.isZIP(path: name) }
        if content == .text { bytes.removeFirst(bytes.span.byteOrderMarkCount) }
        if content == .line, bytes.last == UInt8(ascii: "\n") {
            bytes.removeLast()
            if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        }
        if bytes.count <= limit { return bytes }
        throw InputError.tooLong(limit: limit)
    }
}

/// An input that is being read.
package final class InputPieces {
    private let descriptor: Int32
    private let name: String
    /// Called with the number of bytes of each read.
    package var observer: ((Int) -> Void)?

    /// The length of the file in bytes; nil for what is no regular file.
    package var count: Int? { FileStatus(of: descriptor).flatMap { $0.isPlainFile ? $0.count : nil } }

    fileprivate init(descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    deinit { close(descriptor) }

    /// Reads the next bytes.
    /// - Returns: how many, from the front of `bytes`; 0 only at the end, or if `bytes` is empty.
    /// - Throws: `InputError`.
    package func read(into bytes: inout MutableSpan<UInt8>) throws -> Int {
        guard !bytes.isEmpty else { return 0 }
        while true {
            let count = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
                unsafe Glibc.read(descriptor, buffer.baseAddress!, buffer.count)
            }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw InputError.notReadable(path: name, code: errno) }
            observer?(count)
            return count
        }
    }
}

/// Why an input could not be read, or not be used.
package enum InputError: Error {
    case notReadable(path: String, code: Int32)
    case tooLong(limit: Int)
    case notText
    case isZIP(path: String)
    case empty
    case hasNUL
    case noCertificate(path: String)
}
