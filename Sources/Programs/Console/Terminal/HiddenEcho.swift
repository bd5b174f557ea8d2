import Glibc

/// Echo off for one question, where it must leave no trace on a screen of its own, and everything as it was
/// however the question ends: by an answer, an error or a signal.
enum HiddenEcho {
    // Read by the signal handler, so all are set before it is installed.
    nonisolated(unsafe) private static var terminal: Int32 = -1
    nonisolated(unsafe) private static var original = termios()
    nonisolated(unsafe) private static var hidden = termios()
    nonisolated(unsafe) private static var isOnOwnScreen = false
    nonisolated(unsafe) private static var isHidden = false

    /// xterm's alternate screen, which has no scrollback; empty, whatever was on it before.
    private static var enter: StaticString { "\u{1b}[?1049h\u{1b}[H\u{1b}[2J" }
    /// Some terminals keep what was on it for the next one who enters: nothing may be.
    private static var leave: StaticString { "\u{1b}[H\u{1b}[2J\u{1b}[?1049l" }

    /// Whether the terminal has a screen that can be entered and left: all have, but for those that say so.
    static var canHaveOwnScreen: Bool { Environment.value("TERM").map { $0 != "dumb" } ?? false }

    /// What a read of the terminal returns.
    enum Delivery { case lines, keys }

    /// Where text is shown while the echo is off: what was on the alternate screen is gone afterwards, from the
    /// scrollback, too.
    enum Screen { case current, alternate }

    /// Runs `body` without echo, and restores the terminal whatever ends it.
    static func during<Result: ~Copyable>(
        _ descriptor: Int32, delivering: Delivery = .lines, on screen: Screen = .current, _ body: () throws -> Result
    ) throws -> Result {
        unsafe terminal = descriptor
        // In the background, the settings are those of the shell's line editor: the kernel stops the process here.
        _ = tcflush(descriptor, TCIFLUSH)
        guard unsafe tcgetattr(descriptor, &original) == 0 else { throw SecretError.noTerminal }
        unsafe hidden = original
        unsafe hidden.c_lflag &= ~tcflag_t(ECHO | ICANON)
        unsafe hidden.c_lflag |= tcflag_t(delivering == .lines ? ISIG | ICANON : ISIG)
        unsafe isOnOwnScreen = screen == .alternate
        unsafe isHidden = true
        // The handler restores the terminal, and the signal ends the process: a shell goes on after an exit code.
        var signals = CaughtSignals(CaughtSignals.ending + [SIGCONT]) { number in
            // A shell has turned the echo on for itself.
            if number == SIGCONT { return HiddenEcho.hideAgain() }
            HiddenEcho.restore(TCSANOW, isInterrupted: true)
            signal(number, SIG_DFL)
            var own = sigset_t()
            unsafe sigaddset(&own, number)
            unsafe pthread_sigmask(SIG_UNBLOCK, &own, nil)
            raise(number)
            // It does not end the first process of a container.
            _exit(128 + number)
        }
        // A stopped process would leave the terminal mute.
        signals.ignore(SIGTSTP)
        // TCSAFLUSH: what was typed before the question is not an answer to it.
        _ = unsafe tcsetattr(descriptor, TCSAFLUSH, &hidden)
        if screen == .alternate { outlet.sequence(enter) }
        defer {
            restore(TCSAFLUSH)
            signals.putBack()
        }
        return try body()
    }

    /// Async-signal-safe.
    private static func hideAgain() {
        if unsafe isHidden { _ = unsafe tcsetattr(terminal, TCSANOW, &hidden) }
    }

    /// For an end of the process in the middle of a question. Async-signal-safe.
    static func restoreIfHidden() {
        if unsafe isHidden { restore(TCSANOW) }
    }

    /// Async-signal-safe. The terminal would stop a background process that changes it.
    /// - Parameter isInterrupted: end the question's line, which Enter has not ended.
    private static func restore(_ action: Int32, isInterrupted: Bool = false) {
        let former = signal(SIGTTOU, SIG_IGN)
        if unsafe isOnOwnScreen { outlet.sequence(leave) } else if isInterrupted { outlet.sequence("\n") }
        unsafe isOnOwnScreen = false
        unsafe isHidden = false
        _ = unsafe tcsetattr(terminal, action, &original)
        signal(SIGTTOU, former)
    }

    private static var outlet: Outlet { unsafe Outlet(terminal: terminal) }
}
