import Encodings
import Primitives
@_spi(GivenKeys) import Ratchet
import SecureMemory
import SophaxKit
import Testing
import VectorKit

@testable import SophaxChat

/// M2: no result of a Diffie-Hellman agreement stays in memory, nor what is computed of all together.
@Suite(.serialized) struct MemoryTests {
    private static func publicKey(_ key: HeldKey) -> [UInt8] { key.bytes.withBytes { X25519.publicKey(of: $0) } }

    /// Secret bytes, inverted: a copy of them would be found.
    private static func inverted(_ secret: borrowing SecureBytes) -> [UInt8] {
        secret.withBytes { bytes in bytes.indices.map { ~bytes[$0] } }
    }

    private static func agreement(_ own: HeldKey, _ other: [UInt8]) throws -> SecureBytes {
        try own.bytes.withBytes { (own) throws(SharedKeyError) in
            try X25519.sharedSecret(privateKey: own, publicKey: other.span)
        }
    }

    private static func left(_ secrets: [String: [UInt8]]) -> [String] {
        secrets.filter { MemoryScan(inverted: $0.value).copies() > 0 }.keys.sorted()
    }

    @Test func `a copy in memory is found, and gone when it is wiped`() throws {
        let secret = Random.secret(32)
        let inverted = Self.inverted(secret)
        let scan = MemoryScan(inverted: inverted)
        let before = scan.copies()
        #expect(before == 0, "guarded memory cannot be read while nobody borrows it")
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: 100, alignment: 1)
        for index in 0..<32 { copy[50 + index] = ~inverted[index] }
        let during = scan.copies()
        #expect(during == 1)
        let onStack = withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { stack in
            for index in 0..<32 { stack[7 + index] = ~inverted[index] }
            defer { stack.initializeMemory(as: UInt8.self, repeating: 0) }
            return scan.copies()
        }
        #expect(onStack == 2)
        copy.initializeMemory(as: UInt8.self, repeating: 0)
        copy.deallocate()
        #expect(scan.copies() == 0)
        #expect(secret.count == 32)
    }

    /// The keys of both sides of a session.
    private struct Keys {
        let identityA = HeldKey(Random.secret(32))
        let ephemeral = HeldKey(Random.secret(32))
        let identityB = HeldKey(Random.secret(32))
        let prekey = HeldKey(Random.secret(32))
        let oneTime = HeldKey(Random.secret(32))
        let ratchetA = HeldKey(Random.secret(32))
        let ratchetB = HeldKey(Random.secret(32))

        /// What no side may leave, inverted.
        func secrets() throws -> [String: [UInt8]] {
            var secrets: [String: [UInt8]] = [:]
            var all = SecureBuffer(capacity: 160)
            let prefix = [UInt8](repeating: 0xff, count: 32)
            all.append(prefix.span)
            let pairs = [
                ("DH1", identityA, prekey), ("DH2", ephemeral, identityB), ("DH3", ephemeral, prekey),
                ("DH4", ephemeral, oneTime),
            ]
            for (name, own, other) in pairs {
                let shared = try MemoryTests.agreement(own, MemoryTests.publicKey(other))
                secrets[name] = MemoryTests.inverted(shared)
                all.append(shared)
            }
            // HKDF's first block of all of them.
            let joined = all.finish()
            let salt = [UInt8](repeating: 0, count: 32)
            let block = joined.withBytes { HMACSHA256.derive($0, key: salt.span) }
            secrets["HKDF of X3DH"] = MemoryTests.inverted(block)
            for (name, own, other) in [("ratchet 1", ratchetA, prekey), ("ratchet 2", ratchetB, ratchetA)] {
                let shared = try MemoryTests.agreement(own, MemoryTests.publicKey(other))
                secrets[name] = MemoryTests.inverted(shared)
            }
            return secrets
        }
    }

    @Test func `both sides of a session leave no result of an agreement`() throws {
        let keys = Keys()
        let secrets = try keys.secrets()
        #expect(secrets.count == 7)
        let secretA = try FirstSecret.initiate(
            .sophaxChat, identity: keys.identityA.bytes, ephemeral: keys.ephemeral.bytes,
            with: FirstSecret.ResponderKeys(
                identity: Self.publicKey(keys.identityB), prekey: Self.publicKey(keys.prekey),
                oneTime: Self.publicKey(keys.oneTime)))
        let secretB = try FirstSecret.respond(
            .sophaxChat, identity: keys.identityB.bytes, prekey: keys.prekey.bytes, oneTime: keys.oneTime,
            initiator: Self.publicKey(keys.identityA), ephemeral: Self.publicKey(keys.ephemeral))
        var one = try DoubleRatchet.initiate(
            .sophaxChat, secret: secretA, prekey: Self.publicKey(keys.prekey), ratchetKey: keys.ratchetA)
        let other = DoubleRatchet.respond(.sophaxChat, secret: secretB, prekey: keys.prekey.bytes)
        let sent = try one.seal()
        let opened = try other.open(.sealed { _ in sent.header }, at: now, ratchetKey: { keys.ratchetB }) { key in
            let copy = key.bytes.withBytes { SecureBytes(copying: $0) }
            return copy
        }
        // Both have got through all steps.
        #expect(opened.next.remoteRatchetKey == Self.publicKey(keys.ratchetA))
        let (key, used) = (sent.messageKey.bytes.copied, opened.plaintext.copied)
        #expect(used == key)
        #expect(Self.left(secrets) == [])
    }

    @Test func `an agreement that fails leaves nothing of what was computed before`() throws {
        let keys = Keys()
        let secrets = try keys.secrets()
        let zero = [UInt8](repeating: 0, count: 32)
        #expect(throws: RatchetError.weakKey) {
            _ = try FirstSecret.initiate(
                .sophaxChat, identity: keys.identityA.bytes, ephemeral: keys.ephemeral.bytes,
                with: FirstSecret.ResponderKeys(
                    identity: Self.publicKey(keys.identityB), prekey: Self.publicKey(keys.prekey), oneTime: zero))
        }
        #expect(Self.left(secrets) == [])
    }
}
