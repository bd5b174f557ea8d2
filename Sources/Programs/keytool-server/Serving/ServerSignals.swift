import Glibc

/// The signals by which a server is told to stop or to read its certificate again. They are blocked in all threads and
/// taken by one, which waits for them.
struct ServerSignals {
    enum Signal {
        case stop, reload
    }

    private var set = sigset_t()

    /// Blocks them. To be called before other threads exist, which inherit it.
    init() {
        unsafe sigemptyset(&set)
        for number in [SIGTERM, SIGINT, SIGHUP] {
            // A signal that is ignored does not arrive, blocked or not.
            signal(number, SIG_DFL)
            unsafe sigaddset(&set, number)
        }
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Waits for the next one.
    mutating func next() -> Signal {
        var number: Int32 = 0
        while unsafe sigwait(&set, &number) != 0 {}
        return number == SIGHUP ? .reload : .stop
    }
}
