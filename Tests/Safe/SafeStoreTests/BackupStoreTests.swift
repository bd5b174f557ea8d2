import Dispatch
import Encodings
import Foundation
import SafeStore
import SafeWire
import StoreKit
import Synchronization
import Testing
import VectorKit

/// A prepared server in a directory of a test's own, which goes with the value.
final class StoreInDirectory: Sendable {
    let path: String

    init() throws {
        path = URL(filePath: NSTemporaryDirectory()).resolvingSymlinksInPath()
            .appending(path: "backup-store-\(UUID().uuidString)").path()
        try FolderStore.prepare(at: path, limits: .standard)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func withStore(_ body: (borrowing FolderStore) throws -> Void) throws {
        try body(FolderStore(at: path, keepsPrevious: true))
    }

    /// Every name in it, hidden ones too, in order.
    func tree() throws -> [String] { try FileManager.default.subpathsOfDirectory(atPath: path).sorted() }
}

@Suite struct BackupStoreTests {
    @Test(arguments: StoreRule.all) func `the contract in memory`(_ rule: StoreRule) throws {
        try rule.check(MemoryStore(keepsPrevious: true))
    }

    @Test(arguments: StoreRule.all) func `the contract in a directory`(_ rule: StoreRule) throws {
        try StoreInDirectory().withStore { try rule.check($0) }
    }

    @Test(arguments: StoreRule.all) func `the contract of an account, under a quota that is not reached`(
        _ rule: StoreRule
    ) throws {
        let place = try StoreInDirectory()
        let name = AccountName("alice")!
        try ServerDirectory(at: place.path).makeAccount(name)
        let quota = Quota(bytes: 16 * 1024 * 1024)
        try rule.check(QuotaStore(FolderStore(at: place.path, account: name, keepsPrevious: true), quota: quota))
        try rule.check(QuotaStore(MemoryStore(keepsPrevious: true), quota: quota))
        let other = try StoreInDirectory()
        try rule.check(FolderStore(at: other.path, keepsPrevious: true, excluding: .everybody))
        let outside = try place.tree().filter { !$0.hasPrefix("accounts") && $0 != "backups" && $0 != "config" }
        #expect(outside == ["asks-for-logins"])
    }

    @Test func `the layout is the client's, and previous backups are beside it`() throws {
        let place = try StoreInDirectory()
        let client = try FolderStore(at: place.path)
        try client.store([1], at: id(0xab), existing: .refuse)
        try place.withStore { server in
            let value1 = try server.get(id(0xab))?.bytes
            #expect(value1 == [1])
            let modified = Date(timeIntervalSince1970: Double(day(-3).milliseconds) / 1000)
            let path = place.path + "/backups/" + id(0xab).hex
            try FileManager.default.setAttributes([.modificationDate: modified], ofItemAtPath: path)
            _ = try server.put([2], at: id(0xab), if: .none, now: day(0))
        }
        let name = String(repeating: "ab", count: 32)
        let value2 = try client.backup(id(0xab))
        #expect(value2 == [2])
        // The client retains nothing.
        try client.store([3], at: id(0xab), existing: .replace)
        try client.remove(id(0xab))
        let tree = try place.tree()
        let file = "previous/ab/\(name)-20261118T120000000Z-20261121T120000000Z"
        #expect(tree == ["backups", "config", "previous", "previous/ab", file])
        let attributes = try FileManager.default.attributesOfItem(atPath: place.path + "/" + file)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func `a store that retains nothing has no previous backups`() throws {
        let place = try StoreInDirectory()
        let store = try FolderStore(at: place.path)
        for byte: UInt8 in 0...2 { _ = try store.put([byte], at: id(1), if: .none, now: day(0)) }
        _ = try store.delete(id(1), if: .none, now: day(0))
        let value3 = try store.versions(of: id(1))
        #expect(value3 == [])
        let value4 = try place.tree()
        #expect(value4 == ["backups", "config"])
    }

    @Test func `a sweep leaves other files alone, and removes temporary files of killed writers`() throws {
        let place = try StoreInDirectory()
        let backups = place.path + "/backups/"
        let writer = try deadWriter()
        let left = ".\(id(1).hex).\(writer).1x9z.new"
        let strange = ["notes", String(repeating: "AB", count: 32), ".notes.\(writer).1x9z.new"]
        for name in strange + [left] {
            try Data([1]).write(to: URL(filePath: backups + name))
            let old = Date(timeIntervalSince1970: 1_000_000_000)
            try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: backups + name)
        }
        try place.withStore { store in
            let now = ClockReading(wall: day(0), monotonic: .zero)
            let report = try store.expire(Sweep(retentionDays: 180, now: now, last: nil))
            #expect(report.isCarriedOut && report.counts.total == 0)
        }
        let value5 = try FileManager.default.contentsOfDirectory(atPath: backups).sorted()
        #expect(value5 == strange.sorted())
    }

    @Test func `a sweep counts the names of the fullest directory`() throws {
        let place = try StoreInDirectory()
        let sweep = Sweep(retentionDays: 180, now: ClockReading(wall: day(5), monotonic: .zero), last: nil)
        try place.withStore { store in
            for byte: UInt8 in 1...3 { _ = try store.put([byte], at: id(byte), if: .none, now: day(0)) }
            let few = try store.expire(sweep).counts
            #expect(few == SweepCounts(total: 3, names: 3))
            // Each id of these has a directory of its own.
            for number in 1...4 {
                for byte: UInt8 in 1...2 { _ = try store.put([byte], at: id(byte), if: .none, now: day(number)) }
            }
            let more = try store.expire(sweep).counts
            #expect(more == SweepCounts(total: 3, names: 4))
        }
        let flat = place.path + "/previous/"
        for number in 10...14 {
            try Data([1]).write(to: URL(filePath: flat + "\(id(1).hex)-202611\(number)T120000000Z"))
        }
        try place.withStore { store in
            // Two of them are the directories.
            let most = try store.expire(sweep).counts
            #expect(most == SweepCounts(total: 3, previous: 5, names: 7))
        }
    }

    @Test func `a directory with many previous backups is split, and the old names count in it`() throws {
        let place = try StoreInDirectory()
        let server = try ServerDirectory(at: place.path)
        let (alice, id) = (AccountName("alice")!, id(0xab))
        try server.makeAccount(alice)
        let store = server.store(of: alice, keepsPrevious: true)
        for number in 0...1 { _ = try store.put([UInt8(number)], at: id, if: .none, now: day(number)) }
        let previous = place.path + "/accounts/alice/previous/ab"
        func files() throws -> Set<String> { Set(try FileManager.default.subpathsOfDirectory(atPath: previous)) }
        for number in 1..<1000 {
            let hex = String(number, radix: 16)
            let other = "ab" + String(repeating: "0", count: 62 - hex.count) + hex
            try Data([1]).write(
                to: URL(filePath: previous + "/\(other)-20261120T120000000Z-20261121T120000000Z"))
        }
        _ = try store.put([2], at: id, if: .none, now: day(2))
        let before = try files()
        #expect(before.count == 1001)
        for number in 3...4 { _ = try store.put([UInt8(number)], at: id, if: .none, now: day(number)) }
        let added = try files().subtracting(before)
        #expect(added.filter { $0.hasPrefix("ab/\(id.hex)-") }.count == 2 && added.count == 3)
        let versions = try store.versions(of: id)
        #expect(versions.map(\.time) == [day(3), day(2), day(1), day(0)])
        for (place, version) in versions.enumerated() {
            let plan = try store.plan(.single(id, uploaded: version.time), now: day(5))
            let isRestored = try store.restore(plan, now: day(5))
            #expect(isRestored)
            #expect(try store.get(id)?.bytes == [UInt8(3 - place)])
        }
        let (changed, total) = try store.changedBackups(limit: 1)
        #expect(total == 1000 && changed.map(\.id) == [id] && changed.map(\.count) == [8])
        let size = try server.previousSize(of: alice)
        #expect(size?.versions == 1007)
        let now = ClockReading(wall: day(20), monotonic: .zero)
        let report = try store.expire(Sweep(retentionDays: 180, now: now, last: nil))
        let left = try files()
        #expect(report.counts == SweepCounts(total: 1, previous: 1007, names: 1002) && left == ["ab"])
        try server.removeAccount(alice) { $0 }
        #expect(!FileManager.default.fileExists(atPath: place.path + "/accounts/alice"))
    }

    @Test func `a backup that is missing or a directory that is not prepared`() throws {
        let place = try StoreInDirectory()
        try FileManager.default.removeItem(atPath: place.path + "/backups")
        try place.withStore { store in
            let missing = StoreError.failed(reason: "a directory of the store is missing")
            #expect(throws: missing) { try store.get(id(1)) }
            #expect(throws: missing) { try store.put([1], at: id(1), if: .none, now: day(0)) }
            #expect(throws: missing) { try store.delete(id(1), if: .none, now: day(0)) }
        }
    }

    @Test func `of many writers with one condition, one succeeds`() throws {
        let place = try StoreInDirectory()
        let shared = Shared(try FolderStore(at: place.path, keepsPrevious: true))
        for round in 0..<5 {
            let absent = expectOneWriter(round) { store, byte throws(StoreError) in
                try store.put([byte], at: id(UInt8(round)), if: Preconditions(noneMatch: .any), now: day(0))
            }
            let tag = try #require(try shared.store.get(id(UInt8(round)))?.tag)
            let same = Preconditions(match: .these([tag]))
            let replaced = expectOneWriter(round) { store, byte throws(StoreError) in
                try store.put([byte, byte], at: id(UInt8(round)), if: same, now: day(0))
            }
            #expect(absent == 1 && replaced == 1)
        }
        func expectOneWriter(
            _ round: Int, _ put: @Sendable (borrowing FolderStore, UInt8) throws(StoreError) -> PutResult
        ) -> Int {
            let writers = Mutex(0)
            DispatchQueue.concurrentPerform(iterations: 8) { writer in
                guard let result = try? put(shared.store, UInt8(writer)) else { return }
                if result != .conditionFailed { writers.withLock { $0 += 1 } }
            }
            return writers.withLock { $0 }
        }
    }

    @Test func `writers of one backup wait together for a directory that is locked`() throws {
        let directory = try StoreInDirectory()
        let client = try FolderStore(at: directory.path)
        let lock = try client.lock(wait: .zero)
        let start = ContinuousClock.now
        let busy = Mutex(0)
        let shared = Shared(try FolderStore(at: directory.path))
        DispatchQueue.concurrentPerform(iterations: 2) { _ in
            do {
                _ = try shared.store.put([1], at: id(1), if: .none, now: day(0))
            } catch StoreError.busy {
                busy.withLock { $0 += 1 }
            } catch {}
        }
        #expect(busy.withLock { $0 } == 2)
        // Each waits for five seconds.
        #expect(ContinuousClock.now - start < .seconds(9))
        _ = consume lock
    }

    @Test func `a client that has locked the directory makes a writer wait`() throws {
        let place = try StoreInDirectory()
        let client = try FolderStore(at: place.path)
        let shared = Shared(try FolderStore(at: place.path))
        let lock = try client.lock(wait: .zero)
        let end = DispatchGroup()
        let isDone = Mutex(false)
        DispatchQueue.global().async(group: end) {
            _ = try? shared.store.put([1], at: id(1), if: .none, now: day(0))
            isDone.withLock { $0 = true }
        }
        usleep(300_000)
        #expect(!isDone.withLock { $0 })
        _ = consume lock
        end.wait()
        let value6 = try client.backup(id(1))
        #expect(value6 == [1])
    }
}

/// A store that several threads use.
private final class Shared: Sendable {
    let store: FolderStore

    init(_ store: consuming FolderStore) { self.store = store }
}
