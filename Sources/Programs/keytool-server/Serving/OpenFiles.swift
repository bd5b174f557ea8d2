import Glibc

/// How many files and connections this process may have open.
enum OpenFiles {
    /// Raises the limit as far as the system allows. Best effort; errors are ignored.
    static func raiseLimit() {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard unsafe getrlimit(resource, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = unsafe setrlimit(resource, &limit)
    }
}
