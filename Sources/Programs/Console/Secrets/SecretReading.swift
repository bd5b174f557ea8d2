import CLinux
import Encodings
import Glibc
package import SecureMemory

extension SecretSource {
    /// Longest secret, in bytes.
    package static let maxBytes = 16 * 1024

    /// Reads the secret into guarded memory: all of it, without a byte order mark and one line ending.
    /// - Parameter mayAsk: whether a command may ask on the terminal.
    /// - Throws: `SecretError`.
    package func read(title: String, output: Output, mayAsk: Bool = false) throws -> SecureBytes {
        let content: SecureBytes
        if isStandardInput { try StandardInput.take() }
        switch self {
        case .file("-"): content = try Self.read(STDIN_FILENO, path: "stdin")
        case .file(let path): content = try Self.readFile(path, warning: output)
        case .credential(let path): content = try Self.readFile(path, warning: nil)
        case .descriptor(let number):
            guard fcntl(number, F_GETFD) >= 0 else { throw SecretError.badDescriptor(number, code: errno) }
            content = try Self.read(number, path: "file descriptor \(number)")
        case .command(let command):
            content = try SecretCommand.run(command, title: title, mayAsk: mayAsk)
        }
        return try Self.line(of: content, title: title)
    }

    private static func readFile(_ path: String, warning output: Output?) throws -> SecureBytes {
        let file = unsafe keytool_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NOCTTY, 0)
        guard file >= 0 else { throw SecretError.notReadable(path: path, code: errno) }
        defer { close(file) }
        if let output { SecretFileAccess(of: file, path).warnings.forEach { output.warn("\(path) \($0)") } }
        return try read(file, path: path)
    }

    /// - Parameter wait: returns when there is something to read.
    static func read(_ descriptor: Int32, path: String, wait: () throws -> Void = {}) throws -> SecureBytes {
        // The terminal would show what is typed.
        guard isatty(descriptor) == 0 else { throw SecretError.isTerminal(path: path) }
        return try SecureBytes(capacity: maxBytes + 1) { bytes in
            var used = 0
            while used < bytes.count {
                try wait()
                let count = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
                    unsafe Glibc.read(descriptor, buffer.baseAddress! + used, buffer.count - used)
                }
                if count < 0 && errno == EINTR { continue }
                guard count >= 0 else { throw SecretError.notReadable(path: path, code: errno) }
                if count == 0 { return used }
                used += count
            }
            throw SecretError.tooLong
        }
    }

    /// The one line of `content`, without the byte order mark in front and its ending (`\n` or `\r\n`); blanks are part
    /// of a secret.
    private static func line(of content: borrowing SecureBytes, title: String) throws -> SecureBytes {
        try content.withBytes { bytes in
            let start = bytes.byteOrderMarkCount
            var end = bytes.count
            if end > start, ASCII.isSame(bytes[end - 1], "\n") {
                end -= 1
                if end > start, ASCII.isSame(bytes[end - 1], "\r") { end -= 1 }
            }
            guard end > start else { throw SecretError.empty(title: title) }
            for index in start..<end {
                if ASCII.isSame(bytes[index], "\0") { throw SecretError.hasNUL(title: title) }
                if ASCII.isSame(bytes[index], "\n") { throw SecretError.hasSecondLine(title: title) }
            }
            return SecureBytes(copying: bytes.extracting(start..<end))
        }
    }
}

extension SecureBytes {
    /// Whether the last byte is a blank, a tab or a carriage return, which nobody sees in a file.
    var endsInBlank: Bool {
        withBytes { bytes in bytes.count > 0 && [0x20, 0x09, 0x0d].contains(bytes[bytes.count - 1]) }
    }

    /// Whether it contains control characters: C0 or DEL. Fields for passwords in other programs do not take them.
    var hasControls: Bool {
        withBytes { bytes in bytes.indices.contains { bytes[$0] < 0x20 || bytes[$0] == 0x7f } }
    }

    /// The number of Unicode scalars; nil if the bytes are not UTF-8.
    ///
    /// Counted without making a `String`: that would leave an unguarded copy.
    package var characterCount: Int? {
        withBytes { bytes in
            var index = 0
            var count = 0
            while index < bytes.count {
                let lead = bytes[index]
                let (length, minimum): (Int, UInt32) =
                    switch lead {
                    case 0x00...0x7f: (1, 0)
                    case 0xc2...0xdf: (2, 0x80)
                    case 0xe0...0xef: (3, 0x800)
                    case 0xf0...0xf4: (4, 0x10000)
                    default: (0, 0)
                    }
                guard length > 0, index + length <= bytes.count else { return nil }
                var scalar = length == 1 ? UInt32(lead) : UInt32(lead) & (0x7f >> UInt32(length))
                for offset in 1..<max(length, 1) {
                    guard bytes[index + offset] & 0xc0 == 0x80 else { return nil }
                    scalar = scalar << 6 | UInt32(bytes[index + offset] & 0x3f)
                }
                guard scalar >= minimum, Unicode.Scalar(scalar) != nil else { return nil }
                index += length
                count += 1
            }
            return count
        }
    }
}
