import Foundation
import SecureMemory
import Testing
import VectorKit

/// What the memory itself refuses. Each case dies in a process of its own.
@Suite struct GuardedMemoryTests {
    @Test func `a finished secret cannot be written`() async {
        await #expect(processExitsWith: .signal(SIGSEGV)) {
            let secret = SecureBytes(copying: [UInt8]([1, 2, 3]).span)
            UnsafeMutablePointer<UInt8>(bitPattern: secret.address)!.pointee = 0
            print(secret.count)
        }
    }

    @Test func `a finished buffer cannot be written`() async {
        await #expect(processExitsWith: .signal(SIGSEGV)) {
            var buffer = SecureBuffer(capacity: 4)
            buffer.append(1)
            let secret = buffer.finish()
            UnsafeMutablePointer<UInt8>(bitPattern: secret.address)!.pointee = 0
            print(secret.count)
        }
    }

    @Test func `the byte behind a secret cannot be read`() async {
        await #expect(processExitsWith: .signal(SIGSEGV)) {
            let secret = Random.secret(32)
            print(UnsafePointer<UInt8>(bitPattern: secret.address)![32], secret.count)
        }
    }

    @Test func `the page before a secret cannot be read`() async {
        await #expect(processExitsWith: .signal(SIGSEGV)) {
            let secret = Random.secret(32)
            print(UnsafePointer<UInt8>(bitPattern: secret.address - 4096)!.pointee, secret.count)
        }
    }

    @Test func `an underrun is found when the secret ends`() async {
        await #expect(processExitsWith: .failure) {
            _ = SecureBytes(count: 32) { bytes in
                bytes.withUnsafeMutableBufferPointer { ($0.baseAddress! - 1).pointee ^= 0xff }
            }
        }
    }

    @Test func `a secret that has ended cannot be read`() async {
        await #expect(processExitsWith: .signal(SIGSEGV)) {
            var address: UInt = 0
            do {
                let secret = Random.secret(32)
                address = secret.address
                print(secret.count)
            }
            print(UnsafePointer<UInt8>(bitPattern: address)!.pointee)
        }
    }

    @Test func `what a failing fill wrote cannot be read`() async {
        await #expect(processExitsWith: .signal(SIGSEGV)) {
            struct Refused: Error {}
            var address: UInt = 0
            _ = try? SecureBytes(count: 32) { bytes throws(Refused) in
                bytes[0] = 1
                address = bytes.withUnsafeMutableBufferPointer { UInt(bitPattern: $0.baseAddress!) }
                throw Refused()
            }
            print(UnsafePointer<UInt8>(bitPattern: address)!.pointee)
        }
    }

    @Test func `more than there is ends the process`() async {
        await #expect(processExitsWith: .failure) { _ = Random.secret(1 << 50) }
    }
}
