import Glibc

/// How many files and connections this process may have open.
enum OpenFiles {
    /// Raises the limit as far as the system allows. Best effort; errors are ignored.
    /// - Returns: the limit; nil if the system does not tell it.
    static func raiseLimit() -> Int? {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard unsafe getrlimit(resource, &limit) == 0 else { return nil }
        limit.rlim_cur = limit.rlim_max
        _ = unsafe setrlimit(resource, &limit)
        guard unsafe getrlimit(resource, &limit) == 0 else { return nil }
        return Int(exactly: limit.rlim_cur)
    }
}
