import Foundation
import SecureMemory
import Testing

/// What the kernel knows about a secret's pages. Each case has a process of its own, in which no other
/// test locks memory or unlocks it.
@Suite(.enabled(if: Mapping.canLock, "RLIMIT_MEMLOCK leaves nothing to lock")) struct MappingTests {
    @Test func `a secret is read-only, locked, and left out of core dumps`() async {
        await #expect(processExitsWith: .success) {
            let secret = Random.secret(32)
            let address = secret.address
            let mappings = try Mapping.all()
            let index = try #require(mappings.firstIndex { $0.addresses.contains(address) })
            #expect(mappings[index].permissions == "r--p")
            #expect(mappings[index].flags.isSuperset(of: ["lo", "dd"]))
            #expect(mappings[index].addresses.count == 4096)
            withExtendedLifetime(secret.count) {}
        }
    }

    @Test func `a finished buffer is read-only, locked, and left out of core dumps`() async {
        await #expect(processExitsWith: .success) {
            var buffer = SecureBuffer(capacity: 5000)
            buffer.append(1)
            let secret = buffer.finish()
            let address = secret.address
            let mappings = try Mapping.all()
            let index = try #require(mappings.firstIndex { $0.addresses.contains(address) })
            #expect(mappings[index].permissions == "r--p")
            #expect(mappings[index].flags.isSuperset(of: ["lo", "dd"]))
            withExtendedLifetime(secret.count) {}
        }
    }

    @Test func `a secret stands between pages that nobody may touch`() async {
        await #expect(processExitsWith: .success) {
            let secret = Random.secret(32)
            let address = secret.address
            let mappings = try Mapping.all()
            let index = try #require(mappings.firstIndex { $0.addresses.contains(address) })
            for neighbour in [mappings[index - 1], mappings[index + 1]] {
                #expect(neighbour.permissions == "---p")
            }
            #expect(mappings[index - 1].addresses.upperBound == mappings[index].addresses.lowerBound)
            #expect(mappings[index + 1].addresses.lowerBound == mappings[index].addresses.upperBound)
            withExtendedLifetime(secret.count) {}
        }
    }

    @Test func `nothing stays locked behind a long secret, a dropped buffer and a failing fill`() async {
        await #expect(processExitsWith: .success) {
            struct Refused: Error {}
            Sodium.start()
            let before = try Mapping.lockedBytes()
            do {
                let secret = Random.secret(5000)
                var buffer = SecureBuffer(capacity: 5000)
                buffer.append(secret)
                #expect(try Mapping.lockedBytes() == before + 4 * 4096)
                withExtendedLifetime(secret.count) {}
                withExtendedLifetime(buffer.count) {}
            }
            #expect(try Mapping.lockedBytes() == before)
            _ = try? SecureBytes(count: 5000) { _ throws(Refused) in throw Refused() }
            #expect(try Mapping.lockedBytes() == before)
        }
    }

    @Test func `the page of a short secret is wiped, kept, and used by the next one`() async {
        await #expect(processExitsWith: .success) {
            struct Refused: Error {}
            /// Where each kind of end leaves a page.
            func secret() -> UInt { Random.secret(32).address }
            func buffer() -> UInt {
                var buffer = SecureBuffer(capacity: 32)
                for _ in 0..<32 { buffer.append(7) }
                return buffer.withBytes { $0.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress!) } }
            }
            func failing() -> UInt {
                var address: UInt = 0
                _ = try? SecureBytes(count: 32) { bytes throws(Refused) in
                    for index in bytes.indices { bytes[index] = 7 }
                    address = bytes.withUnsafeMutableBufferPointer { UInt(bitPattern: $0.baseAddress!) }
                    throw Refused()
                }
                return address
            }
            let address = secret()
            for end in [secret, buffer, failing] {
                #expect(end() == address)
                let mapping = try #require(Mapping.all().first { $0.addresses.contains(address) })
                #expect(mapping.permissions == "---p" && mapping.flags.isSuperset(of: ["lo", "dd"]))
                _ = SecureBytes(count: 32) { bytes in
                    for index in bytes.indices { #expect(bytes[index] == 0) }
                }
            }
            // It ends where the page ends, whatever its length.
            #expect(Random.secret(4064).address == address + 32 - 4064)
            let next = Random.secret(32)
            #expect(next.address == address)
            let mapping = try #require(Mapping.all().first { $0.addresses.contains(address) })
            #expect(mapping.permissions == "r--p" && mapping.flags.isSuperset(of: ["lo", "dd"]))
            withExtendedLifetime(next.count) {}
        }
    }

    @Test func `a bounded number of pages is kept`() async {
        await #expect(processExitsWith: .success) {
            final class Held { let secret = Random.secret(32) }
            Sodium.start()
            let before = try Mapping.lockedBytes()
            var held: [Held] = []
            for _ in 0..<200 { held.append(Held()) }
            held = []
            #expect(try Mapping.lockedBytes() == before + 128 * 4096)
        }
    }
}
