import Encodings
import SafeStore
import SafeWire
import StoreKit
import Testing

/// What an operator restores.
@Suite struct RestorePlanTests {
    private let place: StoreInDirectory
    private let last = day(0) + .seconds(600)

    /// Two backups of four uploads each, one a minute. Of their previous ones, the store retains the first and the last.
    init() throws {
        place = try StoreInDirectory()
        let store = try store()
        for minute: UInt8 in 0..<4 {
            for byte: UInt8 in 1...2 {
                _ = try store.put([minute], at: id(byte), if: .none, now: day(0) + .seconds(60 * Int(minute)))
            }
        }
    }

    private func store() throws -> FolderStore {
        try FolderStore(at: place.path, keepsPrevious: true, versions: VersionRule(newest: 1), excluding: .everybody)
    }

    /// The minutes at which the previous backups were uploaded.
    private func minutes(of id: BackupID) throws -> [Int] {
        try store().versions(of: id).map { Int(($0.time - day(0)).components.seconds / 60) }
    }

    @Test func `nothing is thinned while an account is restored`() throws {
        let store = try store()
        #expect(try minutes(of: id(1)) == [2, 0])
        let plan = try store.plan(.all(at: day(0)), now: last)
        let isRestored = try store.restore(plan, now: last)
        #expect(isRestored)
        for byte: UInt8 in 1...2 {
            let present = try store.get(id(byte))?.bytes
            #expect(present == [0])
            #expect(try minutes(of: id(byte)) == [3, 2, 0])
        }
        // The next upload does it.
        _ = try store.put([9], at: id(1), if: .none, now: last)
        #expect(try minutes(of: id(1)) == [10, 0])
        #expect(try minutes(of: id(2)) == [3, 2, 0])
    }

    @Test func `an older backup in the place of one that is not retained is told`() throws {
        let store = try store()
        for (seconds, minute, isExact) in [(59, 0, true), (60, 0, false), (119, 0, false), (120, 2, true)] {
            let plan = try store.plan(.all(at: day(0) + .seconds(seconds)), now: last)
            #expect(plan.states.count == 2)
            for state in plan.states {
                guard case .previous(let version) = state.backup else { throw Missing() }
                #expect(version.time == day(0) + .seconds(60 * minute) && state.isExact == isExact)
            }
        }
        let present = try store.plan(.all(at: last), now: last)
        #expect(present.states.allSatisfy { $0.backup == .present && $0.isExact })
    }

    private struct Missing: Error {}

    @Test(arguments: [PastChoice.all(at: day(0)), .single(id(1), uploaded: day(0))])
    func `a plan is not carried out after a change`(_ choice: PastChoice) throws {
        let store = try store()
        let uploaded = try store.plan(choice, now: last)
        _ = try store.put([8], at: id(1), if: .none, now: last)
        let deleted = try store.plan(choice, now: last)
        _ = try store.delete(id(1), if: .none, now: last)
        let before = try place.tree()
        for plan in [uploaded, deleted] {
            let isRestored = try store.restore(plan, now: last)
            #expect(!isRestored)
        }
        let after = try place.tree()
        #expect(after == before)
        let isRestored = try store.restore(store.plan(choice, now: last), now: last)
        let present = try store.get(id(1))?.bytes
        #expect(isRestored && present == [0])
    }

    @Test(arguments: [PastChoice.all(at: day(0)), .single(id(1), uploaded: day(0))])
    func `a plan is not carried out after an upload while the clock stands still`(_ choice: PastChoice) throws {
        let store = try store()
        _ = try store.put([8], at: id(1), if: .none, now: last)
        let plan = try store.plan(choice, now: last)
        _ = try store.put([9], at: id(1), if: .none, now: last)
        let isRestored = try store.restore(plan, now: last)
        let present = try store.get(id(1))?.bytes
        #expect(!isRestored && present == [9])
    }

    @Test func `each of a backup's uploads is restored, also one of the same millisecond`() throws {
        let store = try FolderStore(at: place.path, keepsPrevious: true)
        for byte: UInt8 in 1...4 { _ = try store.put([byte, byte], at: id(9), if: .none, now: day(0)) }
        _ = try store.delete(id(9), if: .none, now: day(1))
        let deleted = try store.versions(of: id(9))
        #expect(deleted.count == 4)
        for (number, version) in deleted.enumerated() {
            let plan = try store.plan(.single(id(9), uploaded: version.time), now: day(2 + number))
            #expect(plan.states.map(\.backup) == [.previous(version)] && plan.states[0].isPresent == (number > 0))
            let isRestored = try store.restore(plan, now: day(2 + number))
            let present = try store.get(id(9))?.bytes
            let byte = UInt8(4 - number)
            #expect(isRestored && present == [byte, byte])
        }
        // They stay among the previous ones, to which each of those that were replaced comes.
        let replaced = (2...4).reversed().map { BackupVersion(time: day($0), replaced: day($0 + 1), count: 2) }
        let all = try store.versions(of: id(9))
        #expect(all == replaced + deleted)
    }

    @Test func `a single backup is absent from a time at which none was uploaded`() throws {
        let store = try store()
        let plan = try store.plan(.single(id(1), uploaded: day(1)), now: last)
        #expect(plan.states.map(\.backup) == [.absent])
        let before = try place.tree()
        let isRestored = try store.restore(plan, now: last)
        let after = try place.tree()
        #expect(isRestored && after == before)
    }
}
