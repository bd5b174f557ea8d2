import SecureMemory
import Testing
import VectorKit

/// A guarded buffer that is filled, lent and emptied again and again.
@Suite struct ReusedBufferTests {
    private struct Stopped: Error {}

    @Test func `what is appended is lent, and gone after the removal`() {
        var buffer = SecureBuffer(capacity: 4)
        for round in 0..<3 as Range<UInt8> {
            buffer.append(round)
            buffer.append(count: 3) { bytes in
                // The bytes of the round before are wiped.
                #expect(bytes[0] == 0 && bytes[1] == 0 && bytes[2] == 0)
                for index in bytes.indices { bytes[index] = round + 1 }
            }
            let (isFull, copied) = (buffer.isFull, Self.copied(buffer))
            #expect(isFull && copied == [round, round + 1, round + 1, round + 1])
            buffer.removeAll()
            let (count, after) = (buffer.count, Self.copied(buffer))
            #expect(count == 0 && after == [])
        }
    }

    @Test func `a filling that fails appends nothing and leaves nothing`() {
        var buffer = SecureBuffer(capacity: 3)
        buffer.append(7)
        #expect(throws: Stopped.self) {
            try buffer.append(count: 2) { bytes in
                bytes[0] = 1
                bytes[1] = 2
                throw Stopped()
            }
        }
        let copied = Self.copied(buffer)
        #expect(copied == [7])
        buffer.append(count: 2) { #expect($0[0] == 0 && $0[1] == 0) }
    }

    @Test func `a buffer grows to its limit, with its bytes`() {
        var buffer = SecureBuffer(capacity: 1)
        for byte in 0..<200 as Range<UInt8> {
            buffer.reserve(buffer.count + 1, limit: 200)
            buffer.append(byte)
        }
        let (isFull, copied) = (buffer.isFull, Self.copied(buffer))
        #expect(isFull && copied == Array(0..<200))
    }

    @Test func `more bytes than fit end the process`() async {
        await #expect(processExitsWith: .failure) {
            var buffer = SecureBuffer(capacity: 2)
            buffer.append(1)
            buffer.append(count: 2) { _ in }
        }
        await #expect(processExitsWith: .failure) {
            var buffer = SecureBuffer(capacity: 2)
            buffer.reserve(4, limit: 3)
        }
        await #expect(processExitsWith: .failure) {
            var bytes: [UInt8] = [1, 2]
            let source: [UInt8] = [3, 4]
            var span = bytes.mutableSpan
            span.copy(source.span, to: 1)
        }
    }

    @Test func `a span is copied into a part of another one`() {
        var bytes: [UInt8] = [1, 2, 3, 4]
        let source: [UInt8] = [8, 9]
        var span = bytes.mutableSpan
        span.copy(source.span, to: 1)
        span.copy(Span(), to: 4)
        span.withPart(3..<4) { $0[0] = 7 }
        #expect(bytes == [1, 8, 9, 7])
    }

    private static func copied(_ buffer: borrowing SecureBuffer) -> [UInt8] {
        buffer.withBytes { $0.withUnsafeBufferPointer { Array($0) } }
    }
}
