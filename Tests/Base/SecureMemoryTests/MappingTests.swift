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
            #expect(Random.secret(4048).address == address + 32 - 4048)
            let next = Random.secret(32)
            #expect(next.address == address)
            let mapping = try #require(Mapping.all().first { $0.addresses.contains(address) })
            #expect(mapping.permissions == "r--p" && mapping.flags.isSuperset(of: ["lo", "dd"]))
            withExtendedLifetime(next.count) {}
        }
    }

    @Test func `the page of a brief secret is writable, guarded in the same way, and used by brief ones only`() async {
        await #expect(processExitsWith: .success) {
            func mapping(_ address: UInt) throws -> Mapping {
                try #require(Mapping.all().first { $0.addresses.contains(address) })
            }
            let address: UInt
            do {
                let brief = SecureBytes(count: 32, life: .brief) { bytes in
                    for index in bytes.indices { bytes[index] = 7 }
                }
                address = brief.address
                let mappings = try Mapping.all()
                let index = try #require(mappings.firstIndex { $0.addresses.contains(address) })
                #expect(mappings[index].permissions == "rw-p")
                #expect(mappings[index].flags.isSuperset(of: ["lo", "dd"]))
                #expect(mappings[index].addresses.count == 4096)
                #expect(mappings[index - 1].permissions == "---p" && mappings[index + 1].permissions == "---p")
                withExtendedLifetime(brief.count) {}
            }
            #expect(try mapping(address).flags.isSuperset(of: ["lo", "dd"]))
            let long = Random.secret(32)
            #expect(long.address != address)
            _ = SecureBytes(count: 48, life: .brief) { bytes in
                for index in bytes.indices { #expect(bytes[index] == 0) }
            }
            let next = SecureBytes(copying: [1, 2, 3].span, life: .brief)
            #expect(next.address == address + 32 - 3)
            #expect(next.copied == [1, 2, 3])
            // A long one has pages of its own, whatever its life.
            let document = SecureBytes(count: 5000, life: .brief) { _ in }
            #expect(try mapping(document.address).permissions == "r--p")
            withExtendedLifetime(long.count) {}
            withExtendedLifetime(next.count) {}
            withExtendedLifetime(document.count) {}
        }
    }

    @Test func `a page that could not be locked is not kept`() async {
        await #expect(processExitsWith: .success) {
            var limit = Mapping.lockLimit
            let former = limit
            limit.rlim_cur = 0
            // Root locks beyond the limit: it is nobody until the first secret has ended.
            let isRoot = geteuid() == 0
            #expect(setrlimit(Int32(__RLIMIT_MEMLOCK.rawValue), &limit) == 0)
            if isRoot { #expect(seteuid(65_534) == 0) }
            let unlocked = Random.secret(32).address
            if isRoot { #expect(seteuid(0) == 0) }
            limit = former
            #expect(setrlimit(Int32(__RLIMIT_MEMLOCK.rawValue), &limit) == 0)
            #expect(try !Mapping.all().contains { $0.addresses.contains(unlocked) && $0.permissions != "---p" })
            let secret = Random.secret(32)
            let address = secret.address
            let mapping = try #require(Mapping.all().first { $0.addresses.contains(address) })
            #expect(mapping.flags.contains("lo"))
            withExtendedLifetime(secret.count) {}
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
            let kept = min(128, Int(min(Mapping.lockLimit.rlim_cur, 1 << 40)) / (16 * 4096))
            #expect(try Mapping.lockedBytes() == before + kept * 4096)
        }
    }
}
