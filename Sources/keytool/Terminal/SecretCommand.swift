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
        let process: pid_t
        do {
            defer { close(ends[1]) }
            process = try start(command, output: ends[1], title: title)
        } catch {
            close(ends[0])
            throw error
        }
        let output: SecureBytes
        do {
            defer { close(ends[0]) }
            output = try SecretSource.read(ends[0], path: "command")
        } catch {
            // Nobody reads on: a helper that goes on printing would never end.
            kill(process, SIGKILL)
            _ = wait(for: process)
            throw error
        }
        let status = wait(for: process)
        // The macros of wait(2): the low seven bits are the signal, the next byte the exit status.
        guard status & 0x7f == 0 else {
            throw SecretError.commandFailed(title: title, status: .killed(status & 0x7f))
        }
        guard status == 0 else { throw SecretError.commandFailed(title: title, status: .exited(status >> 8 & 0xff)) }
        guard output.count > 0 else { throw SecretError.commandFailed(title: title, status: .printedNothing) }
        return output
    }

    private static func start(_ command: String, output: Int32, title: String) throws -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        unsafe posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        // We ignore SIGPIPE; the helper's own pipes need it.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        let arguments = ["/bin/sh", "-c", command]
        var pointers = unsafe arguments.map { unsafe strdup($0) } + [nil]
        defer { unsafe pointers.forEach { unsafe free($0) } }
        var process: pid_t = 0
        let result = unsafe posix_spawn(&process, "/bin/sh", &actions, &attributes, &pointers, environ)
        guard result == 0 else { throw SecretError.commandFailed(title: title, status: .notStarted(result)) }
        return process
    }

    private static func wait(for process: pid_t) -> Int32 {
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0 && errno == EINTR {}
        return status
    }
}
