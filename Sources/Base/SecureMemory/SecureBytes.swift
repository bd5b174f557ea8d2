/// Secret bytes in guarded memory: keys, passwords, and documents that contain one.
///
/// The bytes are on pages of their own between guard pages. They are locked against swapping if RLIMIT_MEMLOCK allows
/// it, excluded from core dumps, read-only once filled if their life is long, and wiped when the value ends. The type is noncopyable: it
/// cannot be interpolated, stored in `Any` or an array, or put into an error, so a secret cannot be logged or thrown by
/// mistake.
///
/// If the memory cannot be allocated, the process ends, as for every Swift value.
@safe
public struct SecureBytes: ~Copyable, @unchecked Sendable {
    private let base: UnsafeMutablePointer<UInt8>
    /// As it was allocated, in bytes.
    private let capacity: Int

    /// Length in bytes.
    public let count: Int

    /// Allocates exactly `count` bytes, which are zero before `fill` writes them.
    /// - Throws: what `fill` throws; nothing of what it wrote remains.
    public init<E>(
        count: Int, life: SecretLife = .long, fill: (inout MutableSpan<UInt8>) throws(E) -> Void
    ) throws(E) {
        try self.init(capacity: count, life: life) { (bytes) throws(E) in
            try fill(&bytes)
            return count
        }
    }

    /// Allocates up to `capacity` bytes, which are zero before `fill` writes them. `fill` returns how many it used,
    /// from the start.
    /// - Throws: what `fill` throws; nothing of what it wrote remains.
    public init<E>(
        capacity: Int, life: SecretLife = .long, fill: (inout MutableSpan<UInt8>) throws(E) -> Int
    ) throws(E) {
        let base = unsafe GuardedMemory.allocate(capacity, life)
        do {
            var bytes = unsafe UnsafeMutableBufferPointer(start: base, count: capacity).mutableSpan
            let used = try fill(&bytes)
            precondition(used >= 0 && used <= capacity)
            unsafe self.init(adopting: base, count: used, capacity: capacity)
        } catch {
            // No property is set yet, so no deinit runs: free it here, exactly once.
            unsafe GuardedMemory.free(base, capacity: capacity)
            throw error
        }
    }

    /// Copies `bytes` into guarded memory. The caller wipes the source.
    public init(copying bytes: Span<UInt8>, life: SecretLife = .long) {
        self.init(count: bytes.count, life: life) { $0.copy(bytes, to: 0) }
    }

    deinit {
        unsafe GuardedMemory.free(base, capacity: capacity)
    }

    /// Lends the bytes to `body`.
    public borrowing func withBytes<Result: ~Copyable, E>(
        _ body: (Span<UInt8>) throws(E) -> Result
    ) throws(E) -> Result {
        let bytes = unsafe UnsafeBufferPointer(start: base, count: count).span
        return try body(bytes)
    }

    /// Takes ownership of guarded memory, and makes it read-only if its life is long.
    init(adopting base: UnsafeMutablePointer<UInt8>, count: Int, capacity: Int) {
        unsafe GuardedMemory.protect(base, capacity: capacity)
        unsafe self.base = base
        self.count = count
        self.capacity = capacity
    }
}
