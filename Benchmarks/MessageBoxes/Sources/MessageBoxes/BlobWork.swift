import CPeers
import SecureMemory
import ThreemaMedia
import ThreemaMessages

/// A file in memory that is sealed and opened, by pieces of a stream and by libsodium in one call.
final class BlobWork {
    private let key = [UInt8](repeating: 7, count: 32)
    private let nonce = [UInt8](repeating: 0, count: 23) + [1]
    private let count: Int
    /// A blob: tag and ciphertext.
    private let blob: UnsafeMutableBufferPointer<UInt8>
    /// Where the results go.
    private let result: UnsafeMutableBufferPointer<UInt8>

    init(count: Int) {
        self.count = count
        blob = .allocate(capacity: count + 16)
        result = .allocate(capacity: count + 16)
        blob.initialize(repeating: 0)
        // Each page is there before anything is measured.
        result.initialize(repeating: 1)
        sealBox()
        _ = blob.update(fromContentsOf: result)
    }

    private var stream: BlobStream {
        let key = key
        return BlobStream(key: EnclosedKey(SecureBytes(copying: key.span)))
    }

    func seal() throws {
        var source = Memory(UnsafeBufferPointer(rebasing: blob[16...]))
        var sink = MemorySink(result)
        guard try stream.seal(&source, into: &sink) == count else { fatalError("seal") }
    }

    func open() throws {
        var source = Memory(UnsafeBufferPointer(blob))
        var sink = MemorySink(result)
        guard try stream.open(&source, into: &sink) == count else { fatalError("open") }
    }

    func sealBox() {
        let plain = UnsafeBufferPointer(rebasing: blob[16...])
        guard crypto_secretbox_easy(result.baseAddress!, plain.baseAddress!, UInt64(count), nonce, key) == 0 else {
            fatalError("secretbox")
        }
    }

    func openBox() {
        let sealed = UnsafeBufferPointer(blob)
        guard
            crypto_secretbox_open_easy(result.baseAddress!, sealed.baseAddress!, UInt64(sealed.count), nonce, key) == 0
        else { fatalError("secretbox") }
    }
}

/// Reads from memory.
struct Memory: BlobSource {
    private var rest: UnsafeBufferPointer<UInt8>.SubSequence

    init(_ bytes: UnsafeBufferPointer<UInt8>) { rest = bytes[...] }

    mutating func read(into buffer: inout MutableSpan<UInt8>, at position: Int) throws(Never) -> Int {
        let count = min(rest.count, buffer.count - position)
        let piece = rest.prefix(count)
        buffer.withUnsafeMutableBufferPointer { buffer in
            _ = buffer[position...].update(fromContentsOf: piece)
        }
        rest = rest.dropFirst(count)
        return count
    }
}

/// Writes to memory.
struct MemorySink: BlobSink {
    private let bytes: UnsafeMutableBufferPointer<UInt8>

    init(_ bytes: UnsafeMutableBufferPointer<UInt8>) { self.bytes = bytes }

    mutating func write(_ piece: Span<UInt8>, at offset: Int) throws(Never) {
        piece.withUnsafeBufferPointer { piece in
            _ = bytes[offset...].update(fromContentsOf: piece)
        }
    }

    mutating func publish() throws(Never) {}
    mutating func discard() {}
}
