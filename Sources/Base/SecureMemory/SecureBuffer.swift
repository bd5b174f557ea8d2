internal import CSodium

/// Guarded memory that is written piece by piece and then turned into `SecureBytes`.
///
/// The capacity is fixed, because growing would leave a copy in freed memory. Writing past it ends the process. An
/// unfinished buffer is wiped when its value ends.
@safe
public struct SecureBuffer: ~Copyable {
    private let base: UnsafeMutablePointer<UInt8>
    private let capacity: Int

    /// Bytes written so far.
    public private(set) var count = 0

    /// Allocates guarded memory for `capacity` bytes.
    public init(capacity: Int) {
        unsafe base = SecureBytes.allocate(capacity)
        self.capacity = capacity
    }

    /// Whether no further byte fits.
    public var isFull: Bool { count == capacity }

    /// Appends one byte.
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

    /// Turns the written bytes into read-only `SecureBytes`, without a copy.
    public consuming func finish() -> SecureBytes {
        let result = unsafe SecureBytes(adopting: base, count: count)
        discard self
        return result
    }

    deinit {
        unsafe sodium_free(base)
    }
}
