internal import CSodium

/// Guarded memory that is written piece by piece and then turned into `SecureBytes`.
///
/// The capacity grows only when it is asked to. Writing past it ends the process. An unfinished buffer is wiped when
/// its value ends.
@safe
public struct SecureBuffer: ~Copyable {
    private var base: UnsafeMutablePointer<UInt8>
    private var capacity: Int

    /// How many bytes are written, at most the capacity.
    public private(set) var count = 0

    /// Allocates guarded memory for `capacity` bytes.
    public init(capacity: Int) {
        unsafe base = GuardedMemory.allocate(capacity)
        self.capacity = capacity
    }

    /// Whether no further byte fits.
    public var isFull: Bool { count == capacity }

    /// Appends one byte. If the buffer is full, the process ends: ask `isFull`.
    public mutating func append(_ byte: UInt8) {
        precondition(count < capacity, "guarded buffer is full")
        unsafe base[count] = byte
        count += 1
    }

    /// Appends a copy of `bytes`. The caller wipes the source.
    public mutating func append(_ bytes: Span<UInt8>) {
        precondition(bytes.count <= capacity - count, "guarded buffer is full")
        unsafe bytes.withUnsafeBufferPointer { bytes in
            guard let source = bytes.baseAddress else { return }
            unsafe (base + count).update(from: source, count: bytes.count)
        }
        count += bytes.count
    }

    /// Appends a copy of another secret.
    public mutating func append(_ secret: borrowing SecureBytes) {
        secret.withBytes { append($0) }
    }

    /// Removes the last byte and wipes it.
    /// - Returns: the byte; nil if the buffer is empty.
    @discardableResult
    public mutating func removeLast() -> UInt8? {
        guard count > 0 else { return nil }
        count -= 1
        defer { unsafe base[count] = 0 }
        return unsafe base[count]
    }

    /// Appends `count` bytes, which are zero before `fill` writes them.
    /// - Throws: what `fill` throws; then nothing is appended, and what it wrote is wiped.
    package mutating func append<E>(
        count added: Int, fill: (inout MutableSpan<UInt8>) throws(E) -> Void
    ) throws(E) {
        precondition(added >= 0 && added <= capacity - count, "guarded buffer is full")
        do throws(E) {
            var bytes = unsafe UnsafeMutableBufferPointer(start: base + count, count: added).mutableSpan
            try fill(&bytes)
        } catch {
            unsafe sodium_memzero(base + count, added)
            throw error
        }
        count += added
    }

    /// Makes room for `wanted` bytes in total, by moving to guarded memory of twice the capacity or more; the former
    /// memory is wiped.
    /// - Parameter limit: of the capacity, at least `wanted`.
    package mutating func reserve(_ wanted: Int, limit: Int) {
        precondition(wanted <= limit)
        guard wanted > capacity else { return }
        let larger = min(max(wanted, 2 * capacity), limit)
        let moved = unsafe GuardedMemory.allocate(larger)
        unsafe moved.update(from: base, count: count)
        unsafe GuardedMemory.free(base, capacity: capacity)
        unsafe base = moved
        capacity = larger
    }

    /// Lends the bytes written so far to `body`.
    package borrowing func withBytes<Result: ~Copyable, E>(
        _ body: (Span<UInt8>) throws(E) -> Result
    ) throws(E) -> Result {
        try body(unsafe UnsafeBufferPointer(start: base, count: count).span)
    }

    /// Removes all bytes and wipes them.
    package mutating func removeAll() {
        unsafe sodium_memzero(base, count)
        count = 0
    }

    /// Turns the written bytes into read-only `SecureBytes`, without a copy.
    public consuming func finish() -> SecureBytes {
        let result = unsafe SecureBytes(adopting: base, count: count, capacity: capacity)
        discard self
        return result
    }

    deinit {
        unsafe GuardedMemory.free(base, capacity: capacity)
    }
}
