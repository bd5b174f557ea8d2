internal import CSodium

/// Tells whether the system locks guarded memory, so that it is never swapped. Guarded memory is used even if locking
/// it fails.
package enum MemoryLocking {
    /// Whether the system locks one more page. It refuses if RLIMIT_MEMLOCK is reached.
    package static var isPossible: Bool {
        let page = unsafe SecureBytes.allocate(1)
        defer { unsafe sodium_free(page) }
        return unsafe sodium_mlock(page, 1) == 0
    }
}
