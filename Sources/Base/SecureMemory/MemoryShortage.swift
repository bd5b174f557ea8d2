internal import Glibc

/// What happens when the system gives no more memory.
///
/// An allocation of guarded memory that fails calls `end`. One of ordinary memory ends the process by a signal: Swift
/// offers no other way. Whoever installs `end` should therefore also handle these signals and ask `isShort` there.
package enum MemoryShortage {
    // Set once, before the first thread and the first secret.
    nonisolated(unsafe) private static var ending: (@convention(c) () -> Void)?

    /// Sets what is done when guarded memory cannot be had. It must not allocate, and it ends the process.
    package static func install(_ ending: @escaping @convention(c) () -> Void) { unsafe self.ending = ending }

    /// Whether the system refuses this much more memory at present. Async-signal-safe.
    package static func isShort(of bytes: Int) -> Bool {
        guard bytes > 0 else { return false }
        let found = unsafe mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let found = unsafe found, unsafe found != MAP_FAILED else { return true }
        unsafe munmap(found, bytes)
        return false
    }

    /// Ends the process if the system refuses this much more memory at present: for work whose ordinary allocations
    /// would fail one by one, and with them without a word.
    package static func require(_ bytes: Int) {
        if isShort(of: bytes) { end(bytes) }
    }

    static func end(_ bytes: Int) -> Never {
        unsafe ending?()
        fatalError("out of memory: \(bytes) bytes")
    }
}
