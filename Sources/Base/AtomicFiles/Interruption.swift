internal import Glibc

/// Repeats a system call while a signal interrupts it (EINTR).
///
/// On a local file system few calls can be interrupted, on a network file system all of them. `keytool_openat` repeats
/// by itself.
func uninterrupted(_ call: () -> Int32) -> Int32 {
    while true {
        let result = call()
        guard result == -1 && errno == EINTR else { return result }
    }
}

/// Defers the signals that end a process.
package enum EndingSignals {
    /// Signals of a crash are not deferred, because their cause would repeat without end.
    private static let crashes = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE]

    /// Runs `body` and defers signals until it returns. Use it for files with a temporary name, until they are renamed
    /// or removed. SIGKILL cannot be deferred.
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
