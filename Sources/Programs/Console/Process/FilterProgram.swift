import CLinux
import Encodings
import Glibc

/// Another program that reads one file as its stdin and prints what it makes of it.
///
/// Its stderr is thrown away, and it has no descriptor and no environment variable but those it is given.
package struct FilterProgram {
    private let path: String
    private let arguments: [String]
    private let variables: [String: String]
    private let timeLimit: Duration
    private let maxBytes: Int

    /// Why the program gave no output.
    package enum Failed: Error {
        /// `code` is the errno.
        case notStarted(code: Int32)
        /// It took longer than its time, and was killed.
        case timedOut
        /// It printed more than it may, and was killed.
        case tooMuch
    }

    /// - Parameters:
    ///   - path: of the program; it is not looked for along PATH.
    ///   - variables: its whole environment.
    ///   - maxBytes: the longest output.
    package init(
        _ path: String, _ arguments: [String], variables: [String: String], timeLimit: Duration, maxBytes: Int
    ) {
        self.path = path
        self.arguments = arguments
        self.variables = variables
        self.timeLimit = timeLimit
        self.maxBytes = maxBytes
    }

    /// Runs it to its end.
    /// - Returns: what it printed, and how it ended: that it failed is not an error here.
    package func run(on file: borrowing PlainFile) throws(Failed) -> (output: [UInt8], end: ChildProcess.End) {
        var ends: [Int32] = [-1, -1]
        guard unsafe keytool_pipe(&ends) == 0 else { throw .notStarted(code: errno) }
        defer { close(ends[0]) }
        let process: ChildProcess
        do throws(ChildProcess.NotStarted) {
            defer { close(ends[1]) }
            process = try ChildProcess(
                path, arguments, descriptors: [file.descriptor: STDIN_FILENO, ends[1]: STDOUT_FILENO],
                empty: [STDERR_FILENO], variables: variables)
        } catch {
            throw .notStarted(code: error.code)
        }
        let deadline = ContinuousClock.now + timeLimit
        do throws(Failed) {
            let output = try output(ends[0], until: deadline)
            guard let end = process.wait(until: deadline) else { throw .timedOut }
            return (output, end)
        } catch {
            process.kill()
            throw error
        }
    }

    /// All that is printed, to its end.
    private func output(_ descriptor: Int32, until deadline: ContinuousClock.Instant) throws(Failed) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let rest = (deadline - ContinuousClock.now).milliseconds
            var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let isReady = unsafe poll(&event, 1, Int32(clamping: max(0, rest)))
            if isReady < 0 && errno == EINTR { continue }
            guard isReady > 0 else { throw .timedOut }
            let count = unsafe Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return bytes }
            bytes += chunk.prefix(count)
            guard bytes.count <= maxBytes else { throw .tooMuch }
        }
    }
}
