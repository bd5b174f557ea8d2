import Encodings
import Foundation
import ProtonMainKey
import SecureMemory
import Synchronization
import Testing

@testable import Keystore
@testable import MessengerKeeping

/// The keeper on a keystore in a directory of its own, with clocks that the test sets.
@Suite struct MainKeyKeeperTests {
    private final class Clocks: Sendable {
        private let reading = Mutex((wall: Int64(1_800_000_000_000), uptime: Int64(5_000_000)))

        @Sendable func now() -> ClockReading {
            reading.withLock {
                ClockReading(wall: Timestamp(milliseconds: $0.wall), uptimeMilliseconds: $0.uptime)
            }
        }

        func pass(wall: Int64, uptime: Int64) {
            reading.withLock {
                $0.wall += wall
                $0.uptime += uptime
            }
        }
    }

    private let clocks = Clocks()
    private let keeper: MainKeyKeeper
    private static let workFactor = 4

    init() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("keeper-\(UUID().uuidString)").path
        keeper = MainKeyKeeper(
            keystore: try .openOrCreate(at: path), now: clocks.now, workFactor: Self.workFactor)
    }

    private func pin(_ text: String = "271828") -> SecureBytes { SecureBytes(copying: Array(text.utf8).span) }

    private func add(_ protection: consuming MainKeyKeeper.NewProtection) throws -> CheckValue {
        let key = MainKey.random()
        try keeper.add(key, protection)
        return key.checkValue
    }

    @Test func `a key opens by what protects it`() throws {
        let id = try add(.pin(pin()))
        #expect(try keeper.ids() == [id])
        #expect(try keeper.open(id, pin: pin()).checkValue == id)
        #expect(throws: MainKeyKeepingError.wrongPIN) { _ = try keeper.open(id, pin: pin("314159")).checkValue }
        #expect(try keeper.summary(id).workFactor == Self.workFactor)
        guard case .none = try keeper.openUnprotected(id) else {
            Issue.record("a protected key opens without its PIN")
            return
        }
    }

    @Test func `a plan that is no longer true changes nothing`() throws {
        let id = try add(.clear)
        let key = try #require(try keeper.openUnprotected(id)?.copy().revealedForTest)
        let plan = try keeper.plan(.protect(.pin), of: id)
        try keeper.change(plan, holding: MainKey(bytes(key)), isProven: false, .pin(pin()))
        #expect(throws: MainKeyKeepingError.changed(id)) {
            try keeper.change(plan, holding: MainKey(bytes(key)), isProven: false, .pin(pin("other1")))
        }
        #expect(try keeper.open(id, pin: pin()).checkValue == id)
        let removal = try keeper.plan(.protect(.clear), of: id)
        try keeper.change(removal, holding: MainKey(bytes(key)), isProven: false)
        let proof = try keeper.plan(.remove(.clear), of: id)
        #expect(throws: MainKeyKeepingError.unproven) {
            try keeper.change(proof, holding: MainKey(bytes(key)), isProven: false)
        }
        #expect(throws: MainKeyKeepingError.otherKey(id)) {
            try keeper.change(proof, holding: .random(), isProven: true)
        }
        #expect(try keeper.summary(id).kinds == [.clear, .pin])
    }

    private func bytes(_ key: [UInt8]) -> SecureBytes { SecureBytes(copying: key.span) }

    // MARK: The countdown, to the millisecond

    private static let isKeyringUsable = (try? KernelKeyring.test()) != nil

    private func unlocked(minutes: Int) throws -> CheckValue {
        let id = try add(.pin(pin()))
        try keeper.set(AutolockSetting(minutes: minutes)!, of: id)
        _ = try keeper.unlock(keeper.open(id, pin: pin()), for: .seconds(86_400))
        return id
    }

    private func isKept(_ id: CheckValue) throws -> Bool {
        switch try keeper.kept(id) {
        case .some(let key): return key.checkValue == id
        case .none: return false
        }
    }

    @Test(
        .enabled(if: isKeyringUsable),
        arguments: [
            (5, 300_000, 300_000, true), (5, 300_001, 300_001, false), (5, -1, 0, false), (5, 0, 2_000, true),
            (5, 0, 3_000, false), (-1, -1_000_000, 3_000, true), (-1, 86_399_999, 86_399_999, true),
            (-1, 86_400_000, 86_400_000, false),
        ])
    func countdown(minutes: Int, wall: Int64, uptime: Int64, keeps: Bool) throws {
        let id = try unlocked(minutes: minutes)
        defer { _ = try? keeper.keystore.forgetSecret(of: .mainKey(id)) }
        #expect(try isKept(id))
        clocks.pass(wall: wall, uptime: uptime)
        #expect(try isKept(id) == keeps)
        let isThere = keeper.keystore.keptSecret(of: .mainKey(id)) != nil
        #expect(isThere == keeps, "it is removed, not only refused")
    }

    @Test(.enabled(if: isKeyringUsable)) func `use restarts the countdown, and does not lengthen the time`() throws {
        let id = try unlocked(minutes: 10)
        defer { _ = try? keeper.keystore.forgetSecret(of: .mainKey(id)) }
        for _ in 0..<160 {
            clocks.pass(wall: 539_000, uptime: 539_000)
            #expect(try isKept(id))
            try keeper.renew(id, .restarted)
        }
        clocks.pass(wall: 539_000, uptime: 539_000)
        #expect(try !isKept(id), "24 hours are over")
        try keeper.renew(id, .restarted)
        #expect(try !isKept(id))
    }

    @Test(.enabled(if: isKeyringUsable)) func `always locked`() throws {
        let id = try add(.pin(pin()))
        try keeper.set(AutolockSetting(minutes: 0)!, of: id)
        #expect(throws: MainKeyKeepingError.alwaysLocked(id)) {
            _ = try keeper.unlock(keeper.open(id, pin: pin()), for: .seconds(60))
        }
        #expect(try !isKept(id))
    }
}

extension MainKey {
    fileprivate var revealedForTest: [UInt8] { bytes.withBytes { $0.revealBytes() } }
}

/// Every record of protections that can be written is read the same; others are refused.
@Suite struct ProtectionSetTests {
    @Test func `mutated records end in an error or in a set`() throws {
        var set = ProtectionSet()
        set.clear = .random()
        let record = set.encoded().revealBytes()
        var seed = SystemRandomNumberGenerator()
        for _ in 0..<10_000 {
            var mutated = record
            for _ in 0..<Int.random(in: 1...3, using: &seed) {
                switch Int.random(in: 0..<3, using: &seed) {
                case 0 where !mutated.isEmpty:
                    mutated[Int.random(in: 0..<mutated.count, using: &seed)] = .random(in: 0...255, using: &seed)
                case 1 where !mutated.isEmpty: mutated.remove(at: Int.random(in: 0..<mutated.count, using: &seed))
                default:
                    mutated.insert(
                        .random(in: 0...255, using: &seed), at: Int.random(in: 0...mutated.count, using: &seed))
                }
            }
            do throws(ProtectionSetError) {
                let parsed = try ProtectionSet(mutated.span)
                #expect(parsed.encoded().revealBytes() == mutated)
            } catch {}
        }
    }
}
