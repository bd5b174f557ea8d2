import Foundation
import Primitives
import ThreemaMessages

@testable import ThreemaMedia

// Sources and sinks of the tests of blobs.

struct Cut: Error, Equatable {}
struct Full: Error, Equatable {}

/// Bytes in memory, a few at a time.
struct Bytes: BlobSource {
    let bytes: [UInt8]
    let step: Int
    var failsAt = Int.max
    var position = 0

    init(bytes: [UInt8], step: Int, failsAt: Int = .max) {
        self.bytes = bytes
        self.step = step
        self.failsAt = failsAt
    }

    mutating func read(into buffer: inout MutableSpan<UInt8>, at start: Int) throws(Cut) -> Int {
        guard position < failsAt else { throw Cut() }
        let count = min(step, buffer.count - start, bytes.count - position)
        for index in 0..<count { buffer[start + index] = bytes[position + index] }
        position += count
        return count
    }
}

/// Memory up to a size.
struct Memory: BlobSink {
    var capacity = Int.max
    var bytes: [UInt8] = []
    var isPublished = false
    var isDiscarded = false

    init(capacity: Int = .max) { self.capacity = capacity }

    mutating func write(_ piece: Span<UInt8>, at offset: Int) throws(Full) {
        guard offset + piece.count <= capacity else { throw Full() }
        let missing = offset + piece.count - bytes.count
        if missing > 0 { bytes += [UInt8](repeating: 0, count: missing) }
        for index in piece.indices { bytes[offset + index] = piece[index] }
    }

    mutating func publish() throws(Full) { isPublished = true }
    mutating func discard() { isDiscarded = true }
}

/// A file that is renamed when it is complete.
struct FileSink: BlobSink {
    let temporary: URL
    let final: URL
    let handle: FileHandle

    init(_ directory: URL, name: String) throws {
        temporary = directory.appending(path: ".\(name).new")
        final = directory.appending(path: name)
        _ = FileManager.default.createFile(atPath: temporary.path(), contents: nil)
        handle = try FileHandle(forWritingTo: temporary)
    }

    mutating func write(_ piece: Span<UInt8>, at offset: Int) throws(any Error) {
        try handle.seek(toOffset: UInt64(offset))
        try piece.withUnsafeBufferPointer { try handle.write(contentsOf: Data($0)) }
    }

    mutating func publish() throws(any Error) {
        try handle.synchronize()
        try FileManager.default.moveItem(at: temporary, to: final)
    }

    mutating func discard() { try? FileManager.default.removeItem(at: temporary) }
}

/// So many zeros.
struct Zeros: BlobSource {
    var rest: Int

    mutating func read(into buffer: inout MutableSpan<UInt8>, at start: Int) throws(Never) -> Int {
        let count = min(rest, buffer.count - start)
        buffer.withUnsafeMutableBufferPointer { _ = memset($0.baseAddress! + start, 0, count) }
        rest -= count
        return count
    }
}

/// The blob of so many zeros, sealed again while it is read.
struct SealedZeros: BlobSource {
    let tag: [UInt8]
    var rest: Int
    private var hasGivenTag = false
    private let stream: Stream

    final class Stream {
        var cipher: SecretBoxStream
        init(_ key: EnclosedKey) {
            cipher = key.bytes.withBytes { SecretBoxStream(nonce: Blob.Part.file.nonce, key: $0) }
        }
    }

    init(tag: [UInt8], rest: Int, key: EnclosedKey) {
        self.tag = tag
        self.rest = rest
        stream = Stream(key)
    }

    mutating func read(into buffer: inout MutableSpan<UInt8>, at start: Int) throws(Never) -> Int {
        guard hasGivenTag else {
            hasGivenTag = true
            for index in tag.indices { buffer[index] = tag[index] }
            return tag.count
        }
        // Whole buffers only, which the reader asks for.
        let count = min(rest, buffer.count)
        buffer.withUnsafeMutableBufferPointer { _ = memset($0.baseAddress!, 0, count) }
        if count > 0 { stream.cipher.seal(&buffer) }
        rest -= count
        return count
    }
}

/// Counts, and looks at what it gets.
struct Counter: BlobSink {
    var expectsZeros = false
    var count = 0
    var tag: [UInt8] = []
    var isZero = true
    var isPublished = false

    init(expectsZeros: Bool = false) { self.expectsZeros = expectsZeros }

    mutating func write(_ piece: Span<UInt8>, at offset: Int) throws(Never) {
        count += piece.count
        if piece.count == 16 && offset == 0 { tag = piece.withUnsafeBufferPointer { Array($0) } }
        if expectsZeros {
            let same = piece.withUnsafeBufferPointer { bytes in
                bytes[0] == 0 && memcmp(bytes.baseAddress!, bytes.baseAddress! + 1, bytes.count - 1) == 0
            }
            isZero = isZero && same
        }
    }

    mutating func publish() throws(Never) { isPublished = true }
    mutating func discard() {}
}
