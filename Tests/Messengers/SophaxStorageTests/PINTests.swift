import Encodings
import Primitives
import SecureMemory
import SophaxKit
import Testing
import VectorKit

@testable import SophaxStorage

@Suite struct PINTests {
    static func pin(_ text: String) -> SecureBytes { secure(Array(text.utf8)) }

    @Test(arguments: try Vector.all(in: .sophaxChat, op: "pin-hash-v2"))
    func `hash of version 2`(_ vector: Vector) throws {
        #expect(try vector.inputs.integer("iterations") == PINHash.iterations)
        let hash = PINHash.derive(
            Self.pin(try vector.inputs.string("pin")), .version2, try vector.inputs.bytes("salt"))
        #expect(hash.copied == (try vector.expected.bytes("hash")))
    }

    @Test func `hash of version 1`() {
        let salt = [UInt8](0..<16)
        let message = salt + Array("1234".utf8)
        #expect(PINHash.derive(Self.pin("1234"), .version1, salt).copied == SHA256.hash(message.span))
    }

    static func check(_ lock: PINLock, _ text: String) throws -> PINLock.Result {
        try lock.check(pin(text), counts: .none, at: now) { _ in }.result
    }

    @Test func `real, duress and wrong`() throws {
        let lock = try PINLock(pin: Self.pin("1234"))
        #expect(try Self.check(lock, "1234") == .real && Self.check(lock, "4321") == .wrong)
        let both = try lock.setting(duress: Self.pin("4321"))
        #expect(try Self.check(both, "1234") == .real && Self.check(both, "4321") == .duress)
        #expect(try Self.check(both.removingDuress(), "4321") == .wrong)
        #expect(throws: PINError.equalPINs) { _ = try lock.setting(duress: Self.pin("1234")) }
        #expect(throws: PINError.equalPINs) { _ = try both.setting(pin: Self.pin("4321")) }
        #expect(throws: PINError.length) { _ = try PINLock(pin: Self.pin("123")) }
        // Under duress nothing is compared with the owner's PIN.
        let same = try both.setting(pin: Self.pin("1234"), by: .duress)
        #expect(try Self.check(same, "1234") == .real && Self.check(same, "4321") == .wrong)
        let unchanged = try both.setting(duress: Self.pin("1234"), by: .duress)
        #expect(unchanged.encoded == both.encoded)
        #expect(throws: PINError.equalPINs) { _ = try both.setting(duress: Self.pin("4321"), by: .duress) }
        #expect(try Self.check(both.setting(pin: Self.pin("5678")), "5678") == .real)
    }

    @Test func `a check upgrades nothing, and a hash is there without a PIN for duress`() throws {
        let salt = [UInt8](0..<16)
        let hash = PINHash.derive(Self.pin("1234"), .version1, salt).copied
        let lock = PINLock(real: try #require(PINHash(form: .version1, salt: salt, hash: hash)), duress: nil)
        #expect(lock.duress.form == .version1 && lock.duress.hash.count == 32)
        #expect(try Self.check(lock, "1234") == .real)
        #expect(lock.real.form == .version1, "the lock is a value that a check cannot change")
        #expect(PINHash(form: .version2, salt: salt, hash: hash) == nil)
    }

    @Test func `an attempt is counted before the PIN is compared`() throws {
        struct Full: Error {}
        let lock = try PINLock(pin: Self.pin("1234"))
        #expect(throws: Full.self) {
            _ = try lock.check(Self.pin("1234"), counts: .none, at: now) { _ in throw Full() }
        }
        var (stored, time) = (PINCounts.none, now)
        var delays: [Duration?] = []
        for _ in 0..<13 {
            let before = stored
            let checked = try lock.check(Self.pin("0000"), counts: before, at: time) { stored = $0 }
            #expect(checked.counts == stored && stored.attempts.count == before.attempts.count + 1)
            #expect(PINAttempts(decoding: stored.attempts.encoded) == stored.attempts)
            delays.append(stored.attempts.delay(at: time))
            if let delay = stored.attempts.delay(at: time) {
                let early = time + .milliseconds(Int(delay.components.seconds) * 1000 - 1)
                #expect(throws: PINError.delayed(.milliseconds(1))) {
                    _ = try lock.check(Self.pin("1234"), counts: stored, at: early) { _ in }
                }
                // A clock that went back makes nothing shorter.
                #expect(stored.attempts.delay(at: now + .days(-1)) == delay)
                time = time + delay
            }
        }
        let expected: [Duration?] = [nil, nil, nil, nil, .seconds(30), .seconds(60), .seconds(120), .seconds(240)]
        #expect(Array(delays.prefix(8)) == expected)
        #expect(delays.suffix(3) == [.seconds(1920), .seconds(3600), .seconds(3600)])
        let cleared = try lock.check(Self.pin("1234"), counts: stored, at: time) { _ in }.counts
        #expect(cleared.attempts == .none && cleared.clearings.times == [time] && cleared.changes == .unused)
        #expect(PINAttempts(decoding: [UInt8](repeating: 255, count: 12)) == nil)
    }

    /// A record that could not be read would lock the right PIN out for good.
    @Test func `a delay by any clock is read again`() throws {
        let before1970 = Timestamp(milliseconds: -300_000_000_000)
        for time in [before1970, now, .init(milliseconds: 0), .init(milliseconds: .min), .init(milliseconds: .max)] {
            let lock = try PINLock(pin: Self.pin("1234"))
            var stored = PINCounts.none
            for _ in 0..<5 { _ = try lock.check(Self.pin("0000"), counts: stored, at: now) { stored = $0 } }
            for moment in [time, now] {
                _ = try? lock.check(Self.pin("0000"), counts: stored, at: moment) { stored = $0 }
                let read = try #require(PINAttempts(decoding: stored.attempts.encoded))
                #expect(
                    read.count == stored.attempts.count && (read.release == nil) == (stored.attempts.release == nil))
                stored = PINCounts(attempts: read, changes: stored.changes, clearings: stored.clearings)
            }
            #expect(try lock.check(Self.pin("1234"), counts: stored, at: now + .days(1)) { _ in }.result == .real)
        }
        // Before 1970 a failure is delayed as after it.
        var stored = PINCounts.none
        let lock = try PINLock(pin: Self.pin("1234"))
        for _ in 0..<5 { _ = try lock.check(Self.pin("0000"), counts: stored, at: before1970) { stored = $0 } }
        let read = try #require(PINAttempts(decoding: stored.attempts.encoded))
        #expect(read.delay(at: before1970) == .seconds(30) && read.delay(at: before1970 + .seconds(30)) == nil)
    }

    @Test func `a clock that was ahead makes no wait longer than the whole one`() throws {
        let lock = try PINLock(pin: Self.pin("1234"))
        var stored = PINCounts.none
        for _ in 0..<5 { _ = try lock.check(Self.pin("0000"), counts: stored, at: now + .days(9)) { stored = $0 } }
        // The refusal is stored, so that the wait ends, although the clock is still behind.
        #expect(throws: PINError.delayed(.seconds(30))) {
            _ = try lock.check(Self.pin("1234"), counts: stored, at: now) { stored = $0 }
        }
        #expect(stored.attempts.release == now + .seconds(30) && stored.attempts.count == 5)
        #expect(try lock.check(Self.pin("1234"), counts: stored, at: now + .seconds(30)) { _ in }.result == .real)
    }
}
