internal import Primitives
public import SecureMemory

/// Decrypts the content of a file, chunk by chunk, in constant memory.
///
/// Each chunk is authentic when it is lent, and so is its place. Whether it is followed by others is known only at the
/// end: take the content for complete when `next` has returned false, or when `readToEnd` or `readAll` has returned.
public struct AgeReader: ~Copyable {
    private enum State { case reading, lastChunkRead, complete, failed(any Error) }

    private let source: ByteSource
    private var cipher: PayloadCipher
    private var state = State.reading
    private var sealed = [UInt8](repeating: 0, count: PayloadCipher.sealedCount)
    private var content = SecureBuffer(capacity: PayloadCipher.chunkCount)

    init(_ source: ByteSource, _ cipher: consuming PayloadCipher) {
        self.source = source
        self.cipher = cipher
    }

    /// Lends the next bytes of the content to `body`: 1 to 65,536, in guarded memory, which is wiped afterwards.
    /// - Returns: false if there are none, and the end is authentic; `body` was not called.
    /// - Throws: `.payload` or `.armor`, or what the input or `body` throws. After an error, every call throws it
    ///   again.
    public mutating func next(_ body: (Span<UInt8>) throws -> Void) throws -> Bool {
        do {
            switch state {
            case .failed(let error): throw error
            case .complete: return false
            case .lastChunkRead: try readEnd()
            case .reading: try readChunk()
            }
            guard content.count > 0 else {
                if case .lastChunkRead = state { try readEnd() }
                return false
            }
            defer { content.removeAll() }
            try content.withBytes { try body($0) }
            return true
        } catch {
            state = .failed(error)
            throw error
        }
    }

    /// Lends the rest of the content to `body`, 1 to 65,536 bytes at a time. If it returns, the content is complete.
    /// - Throws: as `next`. What `body` has received is then a part of the content, at most.
    public consuming func readToEnd(_ body: (Span<UInt8>) throws -> Void) throws {
        var hasMore = true
        while hasMore { hasMore = try next(body) }
    }

    /// Reads the rest of the content into guarded memory.
    /// - Parameter limit: in bytes.
    /// - Throws: as `next`; `.payload(.tooLarge)` if the content is longer than `limit`.
    public consuming func readAll(limit: Int) throws -> SecureBytes {
        var all = SecureBuffer(capacity: min(limit, PayloadCipher.chunkCount))
        try readToEnd { bytes in
            let count = all.count + bytes.count
            guard count <= limit else { throw AgeError.payload(.tooLarge(limit: limit)) }
            all.reserve(count, limit: limit)
            all.append(bytes)
        }
        return all.finish()
    }

    private mutating func readChunk() throws {
        // Taken out for a while, because the source and the cipher cannot be used while a part of `self` is lent.
        var buffer: [UInt8] = []
        swap(&buffer, &sealed)
        defer { swap(&buffer, &sealed) }
        var bytes = buffer.mutableSpan
        let count = try source.read(into: &bytes)
        guard count > 0 else { throw AgeError.payload(.truncated) }
        guard count >= PayloadCipher.tagCount else { throw AgeError.payload(.notAuthentic(chunk: cipher.number)) }
        let chunk = buffer.span.extracting(first: count)
        // Only the last chunk may be short. A full one may be the last one, too, which only its nonce says.
        if count == PayloadCipher.sealedCount, isOpened(chunk, isLast: false) { return }
        guard isOpened(chunk, isLast: true) else { throw AgeError.payload(.notAuthentic(chunk: cipher.number)) }
        guard count > PayloadCipher.tagCount || cipher.number == 1 else { throw AgeError.payload(.emptyLastChunk) }
        state = .lastChunkRead
    }

    private mutating func isOpened(_ chunk: Span<UInt8>, isLast: Bool) -> Bool {
        do throws(AuthenticationError) {
            try cipher.open(chunk, isLast: isLast, into: &content)
            return true
        } catch {
            return false
        }
    }

    private mutating func readEnd() throws {
        guard try source.peek(1).isEmpty else { throw AgeError.payload(.trailingData) }
        state = .complete
    }
}
