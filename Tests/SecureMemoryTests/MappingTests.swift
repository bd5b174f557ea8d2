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

    @Test func `nothing stays locked behind a secret, a dropped buffer and a failing fill`() async {
        await #expect(processExitsWith: .success) {
            struct Refused: Error {}
            Sodium.start()
            let before = try Mapping.lockedBytes()
            do {
                let secret = Random.secret(32)
                var buffer = SecureBuffer(capacity: 32)
                buffer.append(secret)
                #expect(try Mapping.lockedBytes() == before + 8192)
                withExtendedLifetime(secret.count) {}
                withExtendedLifetime(buffer.count) {}
            }
            #expect(try Mapping.lockedBytes() == before)
            _ = try? SecureBytes(count: 32) { _ throws(Refused) in throw Refused() }
            #expect(try Mapping.lockedBytes() == before)
        }
    }
}
