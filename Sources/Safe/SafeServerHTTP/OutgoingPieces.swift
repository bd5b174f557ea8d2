#if Server
internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// The buffers from which pieces of answers are written, one for each thread of the network. TLS encrypts a piece at once,
/// so the buffer is free for the next one; while something still needs it, NIO takes a new one.
final class OutgoingPieces: Sendable {
    private final class Buffer: Sendable {
        let bytes = Mutex(ByteBuffer())
    }

    private let ofThread = ThreadSpecificVariable<Buffer>()

    /// A buffer with these bytes.
    func piece(_ bytes: ArraySlice<UInt8>) -> ByteBuffer {
        ownBuffer.bytes.withLock { buffer in
            buffer.clear(minimumCapacity: bytes.count)
            buffer.writeBytes(bytes)
            return buffer
        }
    }

    private var ownBuffer: Buffer {
        if let present = ofThread.currentValue { return present }
        let new = Buffer()
        ofThread.currentValue = new
        return new
    }
}
#endif
