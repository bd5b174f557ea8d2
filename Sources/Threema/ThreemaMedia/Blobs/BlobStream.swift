internal import Primitives
internal import SecureMemory
public import ThreemaMessages

/// Seals and opens files of any size, with one buffer of 64 KiB.
public struct BlobStream: Sendable {
    private let part: Blob.Part
    private let key: EnclosedKey
    private let limit: Int

    /// - Parameters:
    ///   - key: to seal, a fresh one: it never seals a second file.
    ///   - limit: most bytes of the file.
    public init(_ part: Blob.Part = .file, key: EnclosedKey, limit: Int = .max - Blob.overhead) {
        self.part = part
        self.key = key
        self.limit = limit
    }

    /// Encrypts a file.
    /// - Returns: its length in bytes; the blob has 16 more.
    public func seal<Source: BlobSource, Sink: BlobSink>(
        _ source: inout Source, into sink: inout Sink
    ) throws(BlobStreamError<Source.Failure, Sink.Failure>) -> Int {
        do throws(BlobStreamError<Source.Failure, Sink.Failure>) {
            var cipher = makeCipher()
            let count = try Transfer<Source, Sink>.copy(
                &source, to: &sink, at: Blob.overhead, limit: limit, opens: false, &cipher)
            let tag = cipher.finish()
            try Transfer<Source, Sink>.write(tag.span, to: &sink, at: 0)
            try Transfer<Source, Sink>.publish(&sink)
            return count
        } catch {
            sink.discard()
            throw error
        }
    }

    /// Decrypts a blob. The sink gets plaintext before all of the blob was seen, but publishes it only if it is
    /// authentic.
    /// - Returns: length of the file in bytes.
    public func open<Source: BlobSource, Sink: BlobSink>(
        _ source: inout Source, into sink: inout Sink
    ) throws(BlobStreamError<Source.Failure, Sink.Failure>) -> Int {
        do throws(BlobStreamError<Source.Failure, Sink.Failure>) {
            var tag = [UInt8](repeating: 0, count: Blob.overhead)
            guard try Transfer<Source, Sink>.fill(&tag, from: &source) == Blob.overhead else { throw .notAuthentic }
            var cipher = makeCipher()
            let count = try Transfer<Source, Sink>.copy(
                &source, to: &sink, at: 0, limit: limit, opens: true, &cipher)
            let expected = cipher.finish()
            guard ConstantTime.areEqual(expected.span, tag.span) else { throw .notAuthentic }
            try Transfer<Source, Sink>.publish(&sink)
            return count
        } catch {
            sink.discard()
            throw error
        }
    }

    private func makeCipher() -> SecretBoxStream {
        key.bytes.withBytes { SecretBoxStream(nonce: part.nonce, key: $0) }
    }
}

/// The steps between one kind of source and one kind of sink, with the errors of both told apart.
private enum Transfer<Source: BlobSource, Sink: BlobSink> {
    typealias Failure = BlobStreamError<Source.Failure, Sink.Failure>

    /// Bytes that are read, processed and written at a time.
    static var pieceCount: Int { 64 * 1024 }

    /// Moves everything from source to sink, through the cipher.
    /// - Returns: how many bytes.
    static func copy(
        _ source: inout Source, to sink: inout Sink, at start: Int, limit: Int, opens: Bool,
        _ cipher: inout SecretBoxStream
    ) throws(Failure) -> Int {
        var buffer = [UInt8](repeating: 0, count: pieceCount)
        var total = 0
        var isAtEnd = false
        while !isAtEnd {
            let count = try fill(&buffer, from: &source)
            isAtEnd = count < pieceCount
            guard count <= limit - total else { throw .tooLong(limit: limit) }
            buffer.removeLast(buffer.count - count)
            var piece = buffer.mutableSpan
            if opens { cipher.open(&piece) } else { cipher.seal(&piece) }
            try write(buffer.span, to: &sink, at: start + total)
            total += count
        }
        return total
    }

    /// Reads until the buffer is full or the source ends.
    static func fill(_ buffer: inout [UInt8], from source: inout Source) throws(Failure) -> Int {
        var bytes = buffer.mutableSpan
        var filled = 0
        var isAtEnd = false
        while !isAtEnd && filled < bytes.count {
            let count: Int
            do throws(Source.Failure) {
                count = try source.read(into: &bytes, at: filled)
            } catch {
                throw .source(error)
            }
            filled += count
            isAtEnd = count == 0
        }
        return filled
    }

    static func write(_ bytes: Span<UInt8>, to sink: inout Sink, at offset: Int) throws(Failure) {
        guard !bytes.isEmpty else { return }
        do throws(Sink.Failure) {
            try sink.write(bytes, at: offset)
        } catch {
            throw .sink(error)
        }
    }

    static func publish(_ sink: inout Sink) throws(Failure) {
        do throws(Sink.Failure) {
            try sink.publish()
        } catch {
            throw .sink(error)
        }
    }
}
