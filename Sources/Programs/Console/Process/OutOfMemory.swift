import Encodings
import Glibc
import SecureMemory

/// The end of a process that gets no memory: one sentence and status 71 instead of a signal.
///
/// Swift answers a failed allocation by crashing, and C libraries crash on the null pointer. Nothing can catch that,
/// but the signal can be handled: if memory is short, the handler says so. A crash with memory to spare is a defect,
/// and the process dies of its signal. To die at any step is safe: every verb is made to be killed.
package enum OutOfMemory {
    /// The signals of a crash.
    private static let crashes = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT]
    /// What counts as too little when a process crashes: more than any single allocation of ordinary memory asks for.
    private static var leastBytes: Int { 64 * 1024 * 1024 }
    private static let handlerStackBytes = 64 * 1024
    private static var startBytes: Int { 4 * 1024 * 1024 }

    // The handler cannot allocate, so its words are ready. They are set before it is installed.
    nonisolated(unsafe) private static var plain = unsafe UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0)
    nonisolated(unsafe) private static var json = unsafe UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0)
    nonisolated(unsafe) private static var isJSON = false

    /// The message, and exit code 71.
    package static var failure: Failure {
        Failure(.memory, "not enough memory", hints: advice)
    }

    /// The hint, for failures that have a sentence of their own.
    package static var advice: Hint {
        "raise the limit (ulimit -v, or LimitAS= of a systemd unit) and run the command again"
    }

    /// Prepares for it; called once, before the first secret.
    static func prepare() {
        // Wipes the line of a spinner.
        let wipe = Progress() == nil ? "" : "\r\u{1b}[K"
        let hints = failure.hints.map { "\(Program.name): hint: \($0.text)\n" }.joined()
        unsafe plain = lasting(wipe + "\(Program.name): error: \(failure.message)\n" + hints)
        unsafe json = lasting(failure.jsonLine)
        MemoryShortage.install { OutOfMemory.end() }
        // What every command needs for itself.
        MemoryShortage.require(startBytes)
        // Where the stack cannot grow, the handler has one of its own.
        var stack = unsafe stack_t()
        unsafe stack.ss_sp = UnsafeMutableRawPointer.allocate(byteCount: handlerStackBytes, alignment: 16)
        unsafe stack.ss_size = handlerStackBytes
        unsafe sigaltstack(&stack, nil)
        for number in crashes {
            var action = sigaction()
            unsafe action.__sigaction_handler.sa_handler = { OutOfMemory.crash($0) }
            action.sa_flags = SA_ONSTACK
            unsafe sigaction(number, &action, nil)
        }
    }

    /// From now on it is said as a JSON object.
    static func sayInJSON() { unsafe isJSON = true }

    private static func crash(_ number: Int32) {
        if MemoryShortage.isShort(of: leastBytes) { end() }
        HiddenEcho.restoreIfHidden()
        // What crashed does so again when the handler returns; `abort` and `raise` need help.
        signal(number, SIG_DFL)
        raise(number)
    }

    /// Async-signal-safe.
    private static func end() -> Never {
        HiddenEcho.restoreIfHidden()
        let words = unsafe isJSON ? json : plain
        unsafe Outlet.words.lastWords(words)
        _exit(Failure.Status.memory.rawValue)
    }

    private static func lasting(_ text: String) -> UnsafeMutableBufferPointer<UInt8> {
        let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count)
        _ = unsafe copy.initialize(from: text.utf8)
        return unsafe copy
    }
}
