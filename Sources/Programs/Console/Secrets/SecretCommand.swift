import CLinux
import Glibc
import SecureMemory

/// A helper that prints a secret, run through `/bin/sh -c`.
///
/// It inherits stderr, stdin if that is a terminal, and the terminal itself, so that it can ask there; no other
/// descriptor of ours. Its output goes through a pipe into guarded memory.
enum SecretCommand {
    /// - Parameter mayAsk: whether the helper may use the terminal. It has less time without one.
    /// - Throws: `SecretError.commandFailed`, without the output of the command.
    static func run(_ command: String, title: String, mayAsk: Bool) throws -> SecureBytes {
        func failed(_ status: SecretError.CommandStatus) -> SecretError { .commandFailed(title: title, status: status) }
        var ends: [Int32] = [-1, -1]
        guard unsafe keytool_pipe(&ends) == 0 else { throw failed(.notStarted(errno)) }
        defer { close(ends[0]) }
        let terminal = mayAsk ? LentTerminal() : nil
        let limit = terminal == nil ? limitAlone : limitOnTerminal
        let isStandardInputShared = terminal != nil && isatty(STDIN_FILENO) == 1
        var job: SecretJob
        do throws(ChildProcess.NotStarted) {
            defer { close(ends[1]) }
            job = try SecretJob(on: terminal, limit: limit) { group throws(ChildProcess.NotStarted) in
                try ChildProcess(
                    "/bin/sh", ["-c", command], descriptors: [ends[1]: STDOUT_FILENO],
                    empty: isStandardInputShared ? [] : [STDIN_FILENO], group: group)
            }
        } catch {
            throw failed(.notStarted(error.code))
        }
        let output: SecureBytes
        do {
            output = try self.output(of: &job, ends[0])
        } catch SecretJob.Stop.expired {
            throw failed(.timedOut(limit))
        } catch SecretJob.Stop.failed(.killed(let signal)) {
            throw failed(.killed(signal))
        } catch SecretJob.Stop.failed(.exited(let status)) {
            throw failed(.exited(status))
        }
        guard output.count > 0 else { throw failed(.printedNothing) }
        return output
    }

    /// All that it prints until it has ended.
    private static func output(of job: inout SecretJob, _ descriptor: Int32) throws -> SecureBytes {
        do {
            let output = try SecretSource.read(descriptor, path: "command") { try job.waitUntilReadable(descriptor) }
            try job.waitForSuccess()
            return output
        } catch {
            // Nobody reads on: a helper that goes on printing would never end.
            job.kill()
            throw error
        }
    }

    private static let limitAlone = Duration.seconds(60)
    /// Somebody may have to look for a key or a telephone.
    private static let limitOnTerminal = Duration.seconds(300)
}
