import CLinux
import Glibc

extension Output {
    /// Does the work; where that takes long, a line on stderr turns meanwhile, and is gone afterwards. The work
    /// must neither print nor ask.
    /// - Parameter words: what is being done, for example "deriving the Safe key".
    func busy<Result: ~Copyable>(_ words: String, _ work: () throws -> Result) rethrows -> Result {
        guard !isQuiet, !isJSON, let spinner = Spinner(words) else { return try work() }
        defer { spinner.stop() }
        return try work()
    }
}

/// The turning line. It is drawn by a thread of its own: the work stays on the caller's, which knows where on its
/// stack keys have been.
private struct Spinner: ~Copyable {
    private let thread: pthread_t
    /// The drawing ends when this end of a pipe is closed.
    private let rope: Int32

    /// Nil where nobody would see it, or where the line could not be wiped again.
    init?(_ words: String) {
        guard isatty(STDERR_FILENO) == 1, let kind = Environment.value("TERM"), kind != "dumb" else { return nil }
        var ends: [Int32] = [-1, -1]
        guard unsafe keytool_pipe(&ends) == 0 else { return nil }
        let drawing = unsafe Unmanaged.passRetained(SpinnerDrawing(words, until: ends[0]))
        // A new thread begins with its maker's mask: signals are for the thread that works.
        var all = sigset_t()
        var former = sigset_t()
        unsafe sigfillset(&all)
        _ = unsafe pthread_sigmask(SIG_BLOCK, &all, &former)
        var thread = pthread_t()
        let result = unsafe pthread_create(
            &thread, nil,
            { argument in
                unsafe Unmanaged<SpinnerDrawing>.fromOpaque(argument!).takeRetainedValue().run()
                return nil
            }, drawing.toOpaque())
        _ = unsafe pthread_sigmask(SIG_SETMASK, &former, nil)
        guard result == 0 else {
            unsafe drawing.release()
            close(ends[0])
            close(ends[1])
            return nil
        }
        self.thread = thread
        rope = ends[1]
    }

    /// Wipes the line; when this returns, nothing more is drawn.
    func stop() {
        close(rope)
        _ = pthread_join(thread, nil)
    }
}

/// What the thread does.
private final class SpinnerDrawing: Sendable {
    private let words: String
    private let rope: Int32
    private static let delayMilliseconds: Int32 = 400
    private static let frameMilliseconds: Int32 = 100
    private static let frames = ["|", "/", "-", "\\"]
    /// To the line's beginning, and everything behind it erased.
    private static var wipe: StaticString { "\r\u{1b}[K" }

    /// - Parameter rope: the reading end of a pipe nobody writes to.
    init(_ words: String, until rope: Int32) {
        // A line that wraps could not be wiped.
        var size = winsize()
        let isKnown = unsafe keytool_window_size(STDERR_FILENO, &size) == 0 && size.ws_col > 0
        self.words = String(words.prefix(isKnown ? max(0, Int(size.ws_col) - 3) : 77))
        self.rope = rope
    }

    func run() {
        defer { close(rope) }
        guard isAwaited(Self.delayMilliseconds), isInForeground else { return }
        // Whoever interrupts the work has a clean line, and the process dies of the signal as ever.
        let signals = CaughtSignals([SIGINT, SIGTERM, SIGHUP, SIGQUIT]) { number in
            SpinnerDrawing.erase()
            signal(number, SIG_DFL)
            raise(number)
        }
        var frame = 0
        repeat {
            if isInForeground { try? Output.write("\r\(Self.frames[frame]) \(words)", to: STDERR_FILENO) }
            frame = (frame + 1) % Self.frames.count
        } while isAwaited(Self.frameMilliseconds)
        if isInForeground { Self.erase() }
        signals.putBack()
    }

    /// Whether the work goes on after that time.
    private func isAwaited(_ milliseconds: Int32) -> Bool {
        var end = pollfd(fd: rope, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&end, 1, milliseconds) <= 0
    }

    /// A job in the background leaves the line to what is in front of it.
    private var isInForeground: Bool {
        let group = tcgetpgrp(STDERR_FILENO)
        return group < 0 || group == getpgrp()
    }

    /// Async-signal-safe.
    private static func erase() {
        _ = unsafe write(STDERR_FILENO, wipe.utf8Start, wipe.utf8CodeUnitCount)
    }
}
