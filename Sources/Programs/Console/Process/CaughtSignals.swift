import Glibc

/// Signals that end the process, caught while the terminal is not as it was found. What ran before, for
/// example `nohup`'s ignoring of a hang-up, is restored afterwards.
struct CaughtSignals {
    /// All that end a process unless it cares, and that come from outside.
    static let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2]

    private var former: [(number: Int32, action: sigaction)] = []

    /// - Parameters:
    ///   - numbers: those of them that are ignored stay ignored.
    ///   - handler: async-signal-safe; runs on any thread that does not block the signal.
    init(_ numbers: [Int32], by handler: @escaping @convention(c) (Int32) -> Void) {
        for number in numbers { replace(number, by: handler) }
    }

    /// Also ignores a signal.
    mutating func ignore(_ number: Int32) {
        replace(number, by: SIG_IGN)
    }

    /// Restores the previous actions.
    func putBack() {
        for one in former.reversed() {
            var action = one.action
            _ = unsafe sigaction(one.number, &action, nil)
        }
    }

    private mutating func replace(_ number: Int32, by handler: __sighandler_t) {
        var present = sigaction()
        guard unsafe sigaction(number, nil, &present) == 0, !Self.isIgnored(present) else { return }
        former.append((number, present))
        var action = sigaction()
        unsafe action.__sigaction_handler.sa_handler = handler
        action.sa_flags = SA_RESTART
        _ = unsafe sigaction(number, &action, nil)
    }

    /// Whether a signal is ignored, for example a hang-up under `nohup`.
    static func isIgnored(_ number: Int32) -> Bool {
        var present = sigaction()
        return unsafe sigaction(number, nil, &present) == 0 && isIgnored(present)
    }

    private static func isIgnored(_ action: sigaction) -> Bool {
        let handler = unsafe action.__sigaction_handler.sa_handler
        return unsafe unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
