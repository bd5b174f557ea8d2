import AtomicFiles
import CLinux
import Glibc
import Synchronization

extension Output {
    /// Does the work. If that takes long, a spinner turns on stderr meanwhile, and is gone afterwards. The work
    /// must neither print nor ask, but may call `note`.
    /// - Parameter words: what is being done, for example "deriving the key".
    package func busy<Result: ~Copyable>(_ words: String, _ work: () throws -> Result) rethrows -> Result {
        try busy(words, total: 0, .bytes, work)
    }

    /// The same for work on many bytes, of which the line says how many are done, and the percentage.
    /// - Parameters:
    ///   - total: how many there are; nil if that is unknown.
    ///   - work: calls what it is given with the bytes that it has done since the last call.
    package func busy<Result: ~Copyable>(
        _ words: String, bytes total: Int?, _ work: (_ add: @escaping (Int) -> Void) throws -> Result
    ) rethrows -> Result {
        try busy(words, total: total ?? 0, .bytes) { try work { [progress] in progress?.add($0) } }
    }

    /// The same for work on many things.
    /// - Parameter work: calls what it is given with the number of things that are done and of all.
    package func busy<Result: ~Copyable>(
        _ words: String, countingThings work: (_ note: @escaping (Int, Int) -> Void) throws -> Result
    ) rethrows -> Result {
        try busy(words, total: 0, .things) { try work { [progress] in progress?.note(done: $0, total: $1) } }
    }

    private func busy<Result: ~Copyable>(
        _ words: String, total: Int, _ unit: Progress.Unit, _ work: () throws -> Result
    ) rethrows -> Result {
        guard let progress else { return try work() }
        progress.begin(total: total, unit)
        guard let spinner = Spinner(words, progress) else { return try work() }
        defer { spinner.stop() }
        return try work()
    }
}

/// How far the work is that is under way: written by the thread that works, read by the one that draws.
package final class Progress: Sendable {
    private let done = Atomic(0)
    private let total = Atomic(0)
    private let drawn = Atomic(false)
    private let countsThings = Atomic(false)

    /// What is counted.
    enum Unit {
        case bytes
        case things
    }

    /// To the line's beginning, and everything behind it erased.
    static var wipe: StaticString { "\r\u{1b}[K" }
    /// Smaller ones are over before anybody has read how large they are.
    private static let leastBytes = 1_048_576

    /// Nil if stderr is not a terminal, or one whose line could not be wiped again.
    init?() {
        guard Outlet.words.isTerminal, let kind = Environment.value("TERM"), kind != "dumb" else { return nil }
    }

    /// Called during a transfer with the bytes done and the total; 0 if the total is unknown.
    package var handler: @Sendable (_ done: Int, _ total: Int) -> Void {
        { done, total in self.note(done: done, total: total) }
    }

    func note(done: Int, total: Int) {
        self.done.store(done, ordering: .relaxed)
        self.total.store(total, ordering: .relaxed)
    }

    func begin(total: Int, _ unit: Unit) {
        countsThings.store(unit == .things, ordering: .relaxed)
        note(done: 0, total: total)
    }

    func add(_ count: Int) { done.add(count, ordering: .relaxed) }

    /// Whether the line of a spinner is on the terminal.
    var isDrawn: Bool {
        get { drawn.load(ordering: .relaxed) }
        set { drawn.store(newValue, ordering: .relaxed) }
    }

    /// What is to be said of it; empty for what is small.
    fileprivate var words: String {
        let (done, total) = (done.load(ordering: .relaxed), total.load(ordering: .relaxed))
        let isThings = countsThings.load(ordering: .relaxed)
        guard max(done, total) > (isThings ? 0 : Self.leastBytes) else { return "" }
        func text(_ count: Int) -> String { isThings ? "\(count)" : ByteCount.text(count) }
        guard total > 0 else { return ", " + text(done) }
        // A file may grow while it is read.
        let percent = min(100, done.multipliedReportingOverflow(by: 100).partialValue / total)
        return ", \(text(done)) of \(text(total)), \(percent) %"
    }
}

/// The turning line. It is drawn by a thread of its own: the work stays on the caller's, which knows where on its
/// stack keys have been.
private struct Spinner: ~Copyable {
    private let thread: pthread_t
    /// The drawing ends when this end of a pipe is closed.
    private let rope: Int32

    /// Nil if the system has no thread left; the work is done without a spinner.
    init?(_ words: String, _ progress: Progress) {
        var ends: [Int32] = [-1, -1]
        guard unsafe keytool_pipe(&ends) == 0 else { return nil }
        let drawing = unsafe Unmanaged.passRetained(SpinnerDrawing(words, progress, until: ends[0]))
        var thread = pthread_t()
        // A new thread begins with its maker's mask: signals are for the thread that works.
        let result = EndingSignals.held {
            unsafe pthread_create(
                &thread, nil,
                { argument in
                    unsafe Unmanaged<SpinnerDrawing>.fromOpaque(argument!).takeRetainedValue().run()
                    return nil
                }, drawing.toOpaque())
        }
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
    private let progress: Progress
    private let rope: Int32
    private let columns: Int
    private static let delayMilliseconds: Int32 = 400
    private static let frameMilliseconds: Int32 = 100
    private static let frames = ["|", "/", "-", "\\"]

    /// - Parameter rope: the reading end of a pipe nobody writes to.
    init(_ words: String, _ progress: Progress, until rope: Int32) {
        columns = TerminalSize(of: STDERR_FILENO).columns
        self.words = words
        self.progress = progress
        self.rope = rope
    }

    func run() {
        defer { close(rope) }
        guard isAwaited(Self.delayMilliseconds), isInForeground else { return }
        // An interruption leaves a clean line, and the process dies of the signal.
        let signals = CaughtSignals([SIGINT, SIGTERM, SIGHUP, SIGQUIT]) { number in
            // What the background writes may stop it, in the middle of this.
            if tcgetpgrp(STDERR_FILENO) == getpgrp() { SpinnerDrawing.erase() }
            signal(number, SIG_DFL)
            raise(number)
        }
        var frame = 0
        repeat {
            if isInForeground { draw(Self.frames[frame] + " " + words + progress.words) }
            frame = (frame + 1) % Self.frames.count
        } while isAwaited(Self.frameMilliseconds)
        if isInForeground { Self.erase() }
        progress.isDrawn = false
        signals.putBack()
    }

    private func draw(_ line: String) {
        progress.isDrawn = true
        // One that wraps could not be wiped; of a longer one before it nothing may be left.
        try? Outlet.words.redraw(line, columns: columns)
    }

    /// Whether the work still runs after that time.
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
        Outlet.words.sequence(Progress.wipe)
    }
}
