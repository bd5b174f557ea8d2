import CLinux
import Glibc

/// Another program at work.
///
/// Descriptors of ours are close-on-exec, so that it inherits the standard ones and what it is given.
struct ChildProcess {
    private let id: pid_t

    enum End: Equatable {
        case exited(Int32)
        case killed(Int32)
    }

    /// Why it did not start: an errno.
    struct NotStarted: Error {
        let code: Int32
    }

    /// - Parameters:
    ///   - program: its path; no shell, and no search along PATH.
    ///   - descriptors: those of ours that become one of the program's.
    ///   - isAlone: whether nobody hears its stderr, and everything behind that is closed, whoever opened it.
    ///   - variables: added to our environment, in place of those of the same name.
    init(
        _ program: String, _ arguments: [String], descriptors: KeyValuePairs<Int32, Int32>, isAlone: Bool = false,
        variables: [String: String] = [:]
    ) throws(NotStarted) {
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        for (ours, theirs) in descriptors { unsafe posix_spawn_file_actions_adddup2(&actions, ours, theirs) }
        if isAlone {
            unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
            unsafe keytool_spawn_closing_from(&actions, STDERR_FILENO + 1)
        }
        // We ignore SIGPIPE; the program's own pipes need it.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        var pointers = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        let added = unsafe variables.map { unsafe strdup("\($0.key)=\($0.value)") }
        defer { unsafe (pointers + added).forEach { unsafe free($0) } }
        // The others are taken over as bytes: a value need not be text.
        var environment = unsafe added
        var next = unsafe environ
        while let variable = unsafe next.pointee {
            let isReplaced = variables.keys.contains { unsafe strncmp(variable, $0 + "=", $0.utf8.count + 1) == 0 }
            if !isReplaced { unsafe environment.append(variable) }
            unsafe next += 1
        }
        unsafe environment.append(nil)
        var process: pid_t = 0
        let result = unsafe posix_spawn(&process, program, &actions, &attributes, &pointers, &environment)
        guard result == 0 else { throw NotStarted(code: result) }
        id = process
    }

    /// Waits for its end.
    func wait() -> End {
        var status: Int32 = 0
        while unsafe waitpid(id, &status, 0) < 0 && errno == EINTR {}
        return Self.end(status)
    }

    /// Waits for its end, but not past `deadline`; nil where it goes on.
    func wait(until deadline: ContinuousClock.Instant) -> End? {
        var status: Int32 = 0
        while unsafe waitpid(id, &status, WNOHANG) == 0 {
            guard ContinuousClock.now < deadline else { return nil }
            Sleep.wait(.milliseconds(10))
        }
        return Self.end(status)
    }

    /// Ends it, and waits until it is gone.
    func kill() {
        Glibc.kill(id, SIGKILL)
        _ = wait()
    }

    /// The macros of wait(2): the low seven bits are the signal, the next byte the exit status.
    private static func end(_ status: Int32) -> End {
        status & 0x7f == 0 ? .exited(status >> 8 & 0xff) : .killed(status & 0x7f)
    }
}
