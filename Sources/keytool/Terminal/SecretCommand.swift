import CLinux
import Glibc
import SecureMemory

/// A helper that prints a secret, run through `/bin/sh -c`.
///
/// It inherits stdin and stderr, so that it can ask on the terminal; every other descriptor of ours is
/// close-on-exec. Its output goes through a pipe into guarded memory.
enum SecretCommand {
    /// - Throws: `SecretError.commandFailed`, without a word of what it printed.
    static func run(_ command: String, title: String) throws -> SecureBytes {
        var ends: [Int32] = [-1, -1]
        guard unsafe keytool_pipe(&ends) == 0 else {
            throw SecretError.commandFailed(title: title, status: .notStarted(errno))
        }
        let process: ChildProcess
        do throws(ChildProcess.NotStarted) {
            defer { close(ends[1]) }
            process = try ChildProcess("/bin/sh", ["-c", command], descriptors: [ends[1]: STDOUT_FILENO])
        } catch {
            close(ends[0])
            throw SecretError.commandFailed(title: title, status: .notStarted(error.code))
        }
        let output: SecureBytes
        do {
            defer { close(ends[0]) }
            output = try SecretSource.read(ends[0], path: "command")
        } catch {
            // Nobody reads on: a helper that goes on printing would never end.
            process.kill()
            throw error
        }
        switch process.wait() {
        case .killed(let signal): throw SecretError.commandFailed(title: title, status: .killed(signal))
        case .exited(let status) where status != 0:
            throw SecretError.commandFailed(title: title, status: .exited(status))
        case .exited: break
        }
        guard output.count > 0 else { throw SecretError.commandFailed(title: title, status: .printedNothing) }
        return output
    }
}
