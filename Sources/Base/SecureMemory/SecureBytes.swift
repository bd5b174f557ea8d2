internal import CSodium

/// Bytes that must not be seen: keys, passwords, and documents that hold one.
///
/// They live on their own pages between guard pages, locked against swapping where RLIMIT_MEMLOCK
/// allows, excluded from core dumps, read-only once filled, and wiped when the value ends. The type
/// is noncopyable: interpolation, `Any`, arrays and error payloads of it do not compile, so a secret
/// cannot be logged or thrown by mistake.
///
/// Allocation failure ends the process, as it does for every Swift value; see `MemoryShortage`.
@safe
public struct SecureBytes: ~Copyable, @unchecked Sendable {
    private let base: UnsafeMutablePointer<UInt8>

    /// Length in bytes.
    public let count: Int

    /// Memory of exactly `count` bytes, zero before `fill` writes it.
    /// - Throws: what `fill` throws; nothing of what it wrote remains.
    public init<E>(count: Int, fill: (inout MutableSpan<UInt8>) throws(E) -> Void) throws(E) {
        try self.init(capacity: count) { (bytes) throws(E) in
            try fill(&bytes)
            return count
        }
    }

    /// Memory of up to `capacity` bytes; `fill` answers how many of them it used, from the front.
    /// - Throws: what `fill` throws; nothing of what it wrote remains.
    public init<E>(capacity: Int, fill: (inout MutableSpan<UInt8>) throws(E) -> Int) throws(E) {
        let base = unsafe Self.allocate(capacity)
        do {
            var bytes = unsafe UnsafeMutableBufferPointer(start: base, count: capacity).mutableSpan
            let used = try fill(&bytes)
            precondition(used >= 0 && used <= capacity)
            unsafe self.init(adopting: base, count: used)
        } catch {
            // No property is set yet, so no deinit runs: free it here, exactly once.
            unsafe sodium_free(base)
            throw error
        }
    }

    /// A copy of `bytes` in guarded memory. The source remains as it is: wiping it is its owner's work.
    public init(copying bytes: Span<UInt8>) {
        var buffer = SecureBuffer(capacity: bytes.count)
        buffer.append(bytes)
        self = buffer.finish()
    }

    deinit {
        // Wipes, checks the canary, unlocks.
        unsafe sodium_free(base)
    }

    /// Lends the bytes for the duration of `body`.
    public borrowing func withBytes<Result: ~Copyable, E>(
        _ body: (Span<UInt8>) throws(E) -> Result
    ) throws(E) -> Result {
        let bytes = unsafe UnsafeBufferPointer(start: base, count: count).span
        return try body(bytes)
    }

    /// Takes over memory that `allocate` gave, and makes it read-only.
    init(adopting base: UnsafeMutablePointer<UInt8>, count: Int) {
        unsafe sodium_mprotect_readonly(base)
        unsafe self.base = base
        self.count = count
    }

    /// Guarded memory for `capacity` zero bytes.
    static func allocate(_ capacity: Int) -> UnsafeMutablePointer<UInt8> {
        Sodium.start()
        guard let memory = unsafe sodium_malloc(max(capacity, 1)) else { MemoryShortage.end(capacity) }
        let base = unsafe memory.bindMemory(to: UInt8.self, capacity: max(capacity, 1))
        unsafe base.initialize(repeating: 0, count: max(capacity, 1))
        return unsafe base
    }
}
