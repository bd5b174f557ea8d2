import Glibc

/// A running command that prints a secret, in its own process group.
///
/// The keys that interrupt and stop reach the terminal's foreground group alone, which is the command's meanwhile. So
/// what happens to the command happens to this process, and the other way round: interrupted, stopped, continued,
/// killed.
struct SecretJob {
    private let process: ChildProcess
    private let terminal: LentTerminal?
    private let signals: CaughtSignals
    private var deadline: ContinuousClock.Instant
    /// How it failed.
    private var end: ChildProcess.End?

    /// Why nothing more is waited for. Whatever is left of the group is to be killed.
    enum Stop: Error {
        /// The command's time is over.
        case expired
        /// The command failed, though others of its group may still have its output open.
        case failed(ChildProcess.End)
    }

    /// How long it may take until a signal or a stop is noticed.
    private static let sliceMilliseconds: Int32 = 50

    /// The signal that is to end this process, 0 for none. Written by the signal handler.
    nonisolated(unsafe) private static var interruption: Int32 = 0

    /// - Parameters:
    ///   - terminal: nil if the command must not ask.
    ///   - start: starts the command in that group.
    init(
        on terminal: LentTerminal?, limit: Duration,
        _ start: (ChildProcess.Group) throws(ChildProcess.NotStarted) -> ChildProcess
    ) throws(ChildProcess.NotStarted) {
        self.terminal = terminal
        signals = CaughtSignals(CaughtSignals.ending) { number in unsafe SecretJob.interruption = number }
        deadline = .now + limit
        let terminalNow = terminal?.descriptorIfForeground
        do throws(ChildProcess.NotStarted) {
            process = try start(.own(foregroundOf: terminalNow))
        } catch {
            if terminalNow != nil { terminal?.takeBack() }
            Self.putBack(signals)
            throw error
        }
    }

    /// Waits until there is output, or its end.
    mutating func waitUntilReadable(_ descriptor: Int32) throws(Stop) {
        while true {
            var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let isReadable = unsafe poll(&event, 1, Self.sliceMilliseconds) > 0
            try look()
            if isReadable { return }
        }
    }

    /// Waits until the command has succeeded.
    mutating func waitForSuccess() throws(Stop) {
        try look()
        while process.end(isReaped: false) != .exited(0) {
            Sleep.wait(.milliseconds(5))
            try look()
        }
        _ = process.end()
        terminal?.takeBack(from: process.group)
        Self.putBack(signals)
    }

    /// Kills what is left of the group. Ends this process, too, if a key on the terminal ended the command.
    func kill() {
        process.killGroup()
        if case .killed(let signal) = end, [SIGINT, SIGQUIT].contains(signal),
            terminal?.isLent(to: process.group) == true
        {
            unsafe Self.interruption = signal
        }
        terminal?.takeBack(from: process.group)
        terminal?.restoreSettings()
        Self.putBack(signals)
    }

    /// Ends this process by the signal that came meanwhile, if one did.
    private static func putBack(_ signals: CaughtSignals) {
        signals.putBack()
        let number = unsafe interruption
        guard number != 0 else { return }
        signal(number, SIG_DFL)
        raise(number)
    }

    private mutating func look() throws(Stop) {
        // Does not return.
        if unsafe Self.interruption != 0 { kill() }
        if let signal = process.newStop() { stop(by: signal) }
        // The shell brought this process to the front.
        if let terminal, terminal.lendIfOurs(to: process.group) { process.continueGroup() }
        if let end = process.end(isReaped: false), end != .exited(0) {
            self.end = end
            throw .failed(end)
        }
        guard ContinuousClock.now < deadline else { throw .expired }
    }

    /// Stops this process and those who share its group, as the command was stopped: a shell waits for them, not for
    /// the command. Returns when they are continued.
    private mutating func stop(by signal: Int32) {
        // Without the terminal nobody would continue it: its time runs out.
        guard let terminal else { return }
        terminal.takeBack(from: process.group)
        let start = ContinuousClock.now
        // SIGSTOP would stop even a group that nobody can continue.
        Glibc.kill(0, signal == SIGSTOP ? SIGTSTP : signal)
        deadline += ContinuousClock.now - start
        _ = terminal.lendIfOurs(to: process.group)
        process.continueGroup()
    }
}
