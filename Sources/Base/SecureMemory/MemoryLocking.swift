internal import CSodium

/// Tells whether the system locks guarded memory, so that it is never swapped. Guarded memory is used even if locking
/// it fails.
package enum MemoryLocking {
    /// Whether the system locks one more page. It refuses if RLIMIT_MEMLOCK is reached.
    package static var isPossible: Bool {
        Sodium.start()
        // Not from pages that are kept: those are locked already.
        guard let page = unsafe sodium_malloc(1) else { return false }
        defer { unsafe sodium_free(page) }
        return unsafe sodium_mlock(page, 1) == 0
    }
}
