internal import Glibc

/// Makes a system call again while a signal interrupts it before it has done anything (EINTR).
///
/// On a local file system few of them can be interrupted; on a network file system all can. (`keytool_openat` does so
/// itself.)
func uninterrupted(_ call: () -> Int32) -> Int32 {
    while true {
        let result = call()
        guard result == -1 && errno == EINTR else { return result }
    }
}

/// Signals that end a process, as it changes files.
package enum EndingSignals {
    /// A crash is not to be put off: what caused it would happen again and again.
    private static let crashes = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE]

    /// Does `body`; a signal that comes meanwhile acts afterwards. For what stands under a temporary name until it is
    /// renamed or removed: whoever is interrupted leaves nothing half made. (SIGKILL cannot be put off.)
    package static func held<Result: ~Copyable, E>(_ body: () throws(E) -> Result) throws(E) -> Result {
        var all = sigset_t()
        var former = sigset_t()
        unsafe sigfillset(&all)
        for number in crashes { unsafe sigdelset(&all, number) }
        unsafe pthread_sigmask(SIG_BLOCK, &all, &former)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &former, nil) }
        return try body()
    }
}
