import CLinux
import Glibc

/// The arguments of this process, as the kernel has them.
///
/// Swift's own list is found by way of the environment's place in memory. A preloaded library that changes a
/// variable moves the environment, and then every argument is gone: a command with options would print help and
/// succeed.
package enum ProcessArguments {
    /// Without the program's name, with U+FFFD in place of what is not UTF-8, and whether all is.
    package static func read() -> (texts: [String], areUTF8: Bool) {
        let file = unsafe keytool_openat(AT_FDCWD, "/proc/self/cmdline", O_RDONLY | O_CLOEXEC, 0)
        // Without /proc there is only Swift's list.
        guard file >= 0 else {
            let arguments = Array(CommandLine.arguments.dropFirst())
            // There it cannot be told from a U+FFFD that was given.
            return (arguments, !arguments.contains { $0.unicodeScalars.contains("\u{fffd}") })
        }
        defer { close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe Glibc.read(file, &chunk, chunk.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += chunk.prefix(count)
        }
        // Each argument ends with a NUL, the last one too.
        let arguments = bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast().dropFirst()
        return (
            arguments.map { String(decoding: $0, as: UTF8.self) },
            arguments.allSatisfy { String(validating: $0, as: UTF8.self) != nil }
        )
    }
}
