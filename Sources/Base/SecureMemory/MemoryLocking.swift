internal import CSodium

/// Whether guarded memory is kept from being swapped. Guarded memory is used even if locking it fails.
package enum MemoryLocking {
    /// Whether the system locks one more page: past RLIMIT_MEMLOCK it does not, and says nothing by itself.
    package static var isPossible: Bool {
        let page = unsafe SecureBytes.allocate(1)
        defer { unsafe sodium_free(page) }
        return unsafe sodium_mlock(page, 1) == 0
    }
}
