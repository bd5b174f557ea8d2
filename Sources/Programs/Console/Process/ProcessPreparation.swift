import CLinux
import Glibc

/// What a process that handles secrets does first.
enum ProcessPreparation {
    /// Before the first secret: files are ours alone, and no core of this process is written.
    static func prepare() {
        // Before any file is opened: one that became stdout or stderr would take what is written there. Opened the
        // wrong way round, so that reading and writing fail as they do on closed ones.
        for (descriptor, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
        where fcntl(descriptor, F_GETFD) < 0 {
            _ = unsafe keytool_openat(AT_FDCWD, "/dev/null", mode, 0)
        }
        umask(0o077)
        // The parent may have opened a descriptor for a secret, which our children must not inherit.
        _ = keytool_close_on_exec_from(UInt32(STDERR_FILENO) + 1)
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        keytool_forbid_dumps()
        // By these, OpenSSL would load code and change how it connects, in libcurl, too.
        Environment.withhold("OPENSSL_CONF")
        Environment.withhold("OPENSSL_MODULES")
        Environment.withhold("OPENSSL_ENGINES")
        // This one would write the keys of connections to a file.
        Environment.withhold("SSLKEYLOGFILE")
        // The parent may ignore SIGCHLD; then the exit status of our children would be lost.
        signal(SIGCHLD, SIG_DFL)
        // The work is done even if nobody reads of it; the end by this signal comes after it.
        signal(SIGPIPE, SIG_IGN)
        // So is a file that outgrows its limit.
        signal(SIGXFSZ, SIG_IGN)
        OutOfMemory.prepare()
    }
}
