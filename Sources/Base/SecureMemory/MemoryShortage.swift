internal import Glibc

/// Handles the case that the system refuses memory.
///
/// If guarded memory cannot be allocated, the installed handler is called. If ordinary memory cannot be allocated,
/// Swift ends the process by a signal. A program that installs a handler should also handle these signals, and call
/// `isShort` there.
package enum MemoryShortage {
    // Set once, before the first thread and the first secret.
    nonisolated(unsafe) private static var ending: (@convention(c) () -> Void)?

    /// Sets the handler that is called when guarded memory cannot be allocated. The handler must not allocate, and must
    /// end the process. Call this before the first thread starts.
    package static func install(_ ending: @escaping @convention(c) () -> Void) { unsafe self.ending = ending }

    /// Whether the system refuses this many more bytes now. Async-signal-safe.
    package static func isShort(of bytes: Int) -> Bool {
        guard bytes > 0 else { return false }
        let found = unsafe mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let found = unsafe found, unsafe found != MAP_FAILED else { return true }
        unsafe munmap(found, bytes)
        return false
    }

    /// Ends the process if the system refuses this many more bytes now. Call it before work that allocates ordinary
    /// memory, because a failure there ends the process without a message. Up to 128 KiB are not asked for: they are
    /// no more than what other work takes unasked, and asking takes two system calls.
    package static func require(_ bytes: Int) {
        if bytes > unaskedBytes, isShort(of: bytes) { end(bytes) }
    }

    private static let unaskedBytes = 128 * 1024

    /// Ends the process after so many bytes were refused, as `require` does.
    package static func end(_ bytes: Int) -> Never {
        unsafe ending?()
        fatalError("out of memory: \(bytes) bytes")
    }
}
