import Foundation
import SecureMemory
import Testing
import VectorKit

@Suite struct SecureBufferTests {
    @Test func `pieces become one secret`() {
        var buffer = SecureBuffer(capacity: 8)
        buffer.append(1)
        buffer.append([UInt8]([2, 3]).span)
        buffer.append(SecureBytes(copying: [UInt8]([4, 5]).span))
        buffer.append([UInt8]().span)
        let count = buffer.count
        let isFull = buffer.isFull
        #expect(count == 5)
        #expect(!isFull)
        let secret = buffer.finish()
        #expect(secret.count == 5)
        #expect(secret.copied == [1, 2, 3, 4, 5])
    }

    @Test func `a buffer takes as much as its capacity`() {
        var buffer = SecureBuffer(capacity: 2)
        buffer.append([UInt8]([1, 2]).span)
        let isFull = buffer.isFull
        #expect(isFull)
        let secret = buffer.finish()
        #expect(secret.copied == [1, 2])
    }

    @Test func `an empty buffer becomes an empty secret`() {
        let buffer = SecureBuffer(capacity: 0)
        let isFull = buffer.isFull
        #expect(isFull)
        let secret = buffer.finish()
        #expect(secret.count == 0)
    }

    @Test func `the last byte can be taken back`() {
        var buffer = SecureBuffer(capacity: 3)
        buffer.append([UInt8]([1, 2, 3]).span)
        #expect(buffer.removeLast() == 3)
        #expect(buffer.removeLast() == 2)
        buffer.append(9)
        let secret = buffer.finish()
        #expect(secret.copied == [1, 9])
    }

    @Test func `an empty buffer has nothing to take back`() {
        var buffer = SecureBuffer(capacity: 3)
        #expect(buffer.removeLast() == nil)
        buffer.append(1)
        #expect(buffer.removeLast() == 1)
        #expect(buffer.removeLast() == nil)
        let count = buffer.count
        #expect(count == 0)
    }

    @Test func `a byte that was taken back is wiped`() {
        var buffer = SecureBuffer(capacity: 2)
        buffer.append([UInt8]([0xaa, 0xbb]).span)
        buffer.removeLast()
        let secret = buffer.finish()
        // The place behind the secret's last byte is still on its page.
        let behind = secret.withBytes { $0.withUnsafeBufferPointer { $0.baseAddress![1] } }
        #expect(behind == 0)
    }

    @Test func `appending past the capacity ends the process before it writes`() async {
        let byte = await #expect(processExitsWith: .failure) {
            var buffer = SecureBuffer(capacity: 1)
            buffer.append(1)
            buffer.append(2)
        }
        let bytes = await #expect(processExitsWith: .failure) {
            var buffer = SecureBuffer(capacity: 3)
            buffer.append(1)
            buffer.append([UInt8]([2, 3, 4]).span)
        }
        // The guard page would have been next.
        #expect(byte?.exitStatus != .signal(SIGSEGV))
        #expect(bytes?.exitStatus != .signal(SIGSEGV))
    }
}
