import CLinux
import Glibc

/// Another program that is running.
///
/// It has the standard descriptors and those that it is given; it inherits no other descriptor of this process.
package struct ChildProcess {
    private let id: pid_t

    /// The process group of a program: those that a key on the terminal or `killGroup` reaches at once.
    enum Group {
        /// That of this program.
        case ours
        /// Its own; if a terminal's descriptor is given, the terminal's foreground group, too.
        case own(foregroundOf: Int32?)
    }

    /// How it ended.
    package enum End: Equatable {
        /// With this status.
        case exited(Int32)
        /// By this signal.
        case killed(Int32)
    }

    /// Why it did not start: an errno.
    struct NotStarted: Error {
        let code: Int32
    }

    /// - Parameters:
    ///   - program: its path; no shell, and no search along PATH.
    ///   - descriptors: those of ours that become one of the program's.
    ///   - empty: the standard descriptors that are /dev/null in the program.
    ///   - variables: its whole environment; nil for ours, as it was when this program started.
    init(
        _ program: String, _ arguments: [String], descriptors: KeyValuePairs<Int32, Int32>, empty: [Int32],
        group: Group = .ours, variables: [String: String]? = nil
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
        for one in empty { unsafe posix_spawn_file_actions_addopen(&actions, one, "/dev/null", O_RDWR, 0) }
        var flags = POSIX_SPAWN_SETSIGDEF
        if case .own(let terminal) = group {
            flags |= POSIX_SPAWN_SETPGROUP
            unsafe posix_spawnattr_setpgroup(&attributes, 0)
            if let terminal { unsafe keytool_spawn_in_foreground(&actions, terminal) }
        }
        unsafe keytool_spawn_closing_from(&actions, STDERR_FILENO + 1)
        // We ignore these; the program's own pipes and files need them.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        for one in [SIGPIPE, SIGXFSZ] { unsafe sigaddset(&signals, one) }
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
        var pointers = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        let given = unsafe (variables ?? [:]).map { unsafe strdup("\($0.key)=\($0.value)") }
        defer { unsafe (pointers + given).forEach { unsafe free($0) } }
        var environment = unsafe variables == nil ? Environment.all() : given
        unsafe environment.append(nil)
        var process: pid_t = 0
        let result = unsafe posix_spawn(&process, program, &actions, &attributes, &pointers, &environment)
        guard result == 0 else { throw NotStarted(code: result) }
        id = process
    }

    /// The process group of a program that has its own.
    var group: pid_t { id }

    /// The signal that has stopped it since the last call. Its exit is not reported here.
    func newStop() -> Int32? {
        var signal: Int32 = 0
        return unsafe keytool_wait(id, WSTOPPED | WNOHANG, &signal) > 0 ? signal : nil
    }

    /// Its end; nil while it runs.
    /// - Parameter isReaped: whether its number, and its group's, may be another process's afterwards.
    func end(isReaped: Bool = true) -> End? {
        var status: Int32 = 0
        let code = unsafe keytool_wait(id, WEXITED | WNOHANG | (isReaped ? 0 : WNOWAIT), &status)
        if code == 0 { return nil }
        return Int(code) == Int(CLD_EXITED) ? .exited(status) : .killed(status)
    }

    /// Waits for its end, but not past `deadline`; nil if it still runs then.
    func wait(until deadline: ContinuousClock.Instant) -> End? {
        while true {
            if let end = end() { return end }
            guard ContinuousClock.now < deadline else { return nil }
            Sleep.wait(.milliseconds(10))
        }
    }

    /// Ends it, and waits until it is gone.
    func kill() {
        Glibc.kill(id, SIGKILL)
        reap()
    }

    /// Ends it and all others of its group, and waits until it is gone. The group must be its own.
    func killGroup() {
        Glibc.kill(-group, SIGKILL)
        reap()
    }

    /// Continues all stopped processes of its group. The group must be its own.
    func continueGroup() {
        Glibc.kill(-group, SIGCONT)
    }

    private func reap() {
        var status: Int32 = 0
        _ = unsafe keytool_wait(id, WEXITED, &status)
    }
}
