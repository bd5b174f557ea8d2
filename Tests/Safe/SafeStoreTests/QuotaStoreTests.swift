import Dispatch
import Encodings
import Foundation
import SafeStore
import SafeWire
import StoreKit
import Synchronization
import Testing

@Suite struct QuotaStoreTests {
    private func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 7, count: count) }

    private func expectLimits<Base: MeasuredStore & ~Copyable>(_ base: consuming Base) throws {
        let quota = Quota(bytes: 100)
        let store = QuotaStore(base, quota: quota)
        _ = try store.put(bytes(60), at: id(1), if: .none, now: day(0))
        #expect(throws: StoreError.quota) { try store.put(bytes(41), at: id(2), if: .none, now: day(0)) }
        #expect(try store.get(id(2)) == nil)
        _ = try store.put(bytes(40), at: id(2), if: .none, now: day(0))
        // The replaced bytes count out.
        #expect(throws: StoreError.quota) { try store.put(bytes(61), at: id(1), if: .none, now: day(0)) }
        _ = try store.put(bytes(59), at: id(1), if: .none, now: day(0))
        _ = try store.put(bytes(41), at: id(2), if: .none, now: day(0))
        // Previous backups do not count, and a deletion makes room.
        _ = try store.delete(id(1), if: .none, now: day(1))
        _ = try store.put(bytes(59), at: id(3), if: .none, now: day(1))
        #expect(try store.versions(of: id(1)).count == 2)
        // There may be more than fits; then replacements that do not grow are still possible.
        quota.bytes = 90
        _ = try store.put(bytes(59), at: id(3), if: .none, now: day(3))
        #expect(throws: StoreError.quota) { try store.put(bytes(60), at: id(3), if: .none, now: day(3)) }
        quota.bytes = nil
        _ = try store.put(bytes(500), at: id(3), if: .none, now: day(4))
        quota.bytes = 0
        #expect(throws: StoreError.quota) { try store.put(bytes(1), at: id(4), if: .none, now: day(4)) }
        _ = try store.put(bytes(10), at: id(3), if: .none, now: day(4))
    }

    @Test func `a PUT that exceeds the quota is refused and changes nothing`() throws {
        try expectLimits(MemoryStore(keepsPrevious: true))
        let place = try StoreInDirectory()
        try expectLimits(FolderStore(at: place.path, keepsPrevious: true))
    }

    @Test func `a condition that fails is told before the quota`() throws {
        let store = QuotaStore(MemoryStore(), quota: Quota(bytes: 10))
        _ = try store.put(bytes(5), at: id(1), if: .none, now: day(0))
        let absent = Preconditions(noneMatch: .any)
        #expect(try store.put(bytes(11), at: id(1), if: absent, now: day(0)) == .conditionFailed)
        let present = Preconditions(match: .any)
        #expect(try store.put(bytes(11), at: id(2), if: present, now: day(0)) == .conditionFailed)
        #expect(throws: StoreError.quota) { try store.put(bytes(11), at: id(1), if: present, now: day(0)) }
    }

    @Test func `of parallel PUTs, as many succeed as fit`() throws {
        let place = try StoreInDirectory()
        for round in 0..<5 {
            let base = try FolderStore(at: place.path)
            let before = try base.lengthOfOthers(than: id(255))
            let shared = SharedQuotaStore(QuotaStore(base, quota: Quota(bytes: before + 3 * 100)))
            let stored = Mutex(0)
            DispatchQueue.concurrentPerform(iterations: 8) { writer in
                let id = id(UInt8(round * 8 + writer))
                guard (try? shared.store.put(bytes(100), at: id, if: .none, now: day(0))) != nil else { return }
                stored.withLock { $0 += 1 }
            }
            #expect(stored.withLock { $0 } == 3)
            let after = try FolderStore(at: place.path).lengthOfOthers(than: id(255))
            #expect(after == before + 3 * 100)
        }
    }

    @Test func `two stores with one quota do not both find the same room`() throws {
        for round in 0..<10 {
            let place = try StoreInDirectory()
            let quota = Quota(bytes: 100)
            let stores = try (0..<2).map { _ in
                SharedQuotaStore(QuotaStore(try FolderStore(at: place.path), quota: quota))
            }
            let stored = Mutex(0)
            DispatchQueue.concurrentPerform(iterations: 2) { writer in
                let put = try? stores[writer].store.put(bytes(100), at: id(UInt8(writer)), if: .none, now: day(round))
                if put != nil { stored.withLock { $0 += 1 } }
            }
            #expect(stored.withLock { $0 } == 1)
        }
    }
}

extension QuotaStoreTests {
    @Test func `one account does not take all threads that write`() throws {
        let base = SlowStore()
        let store = QuotaStore(base, quota: Quota(bytes: 100))
        let shared = Shared(store)
        let ended = DispatchSemaphore(value: 0)
        let results = Mutex<[Result<PutResult, StoreError>]>([])
        for writer in 0...Quota.maxWriters {
            Thread.detachNewThread {
                let result = Result { () throws(StoreError) in
                    try shared.store.put([1], at: id(UInt8(writer)), if: .none, now: day(0))
                }
                results.withLock { $0.append(result) }
                ended.signal()
            }
        }
        // The others wait for the store.
        ended.wait()
        #expect(results.withLock { $0 } == [.failure(.busy)])
        base.release.signal()
        for _ in 0..<Quota.maxWriters { ended.wait() }
        #expect(results.withLock { $0 }.count { (try? $0.get()) != nil } == Quota.maxWriters)
        _ = try shared.store.put([1], at: id(0), if: .none, now: day(0))
    }

    /// As a server's threads: the one that is free takes the next call.
    @Test func `three accounts on a slow store leave threads to another one`() throws {
        let slow = (0..<3).map { _ in SlowStore() }
        let calls = Mutex<[@Sendable () -> Void]>([])
        for base in slow {
            let account = Shared(QuotaStore(base, quota: Quota(bytes: 100)))
            for writer: UInt8 in 0..<16 {
                calls.withLock {
                    $0.append { _ = try? account.store.put([1], at: id(writer), if: .none, now: day(0)) }
                }
            }
        }
        let ended = DispatchSemaphore(value: 0)
        let quick = SlowStore()
        quick.release.signal()
        let other = Shared(QuotaStore(quick, quota: Quota(bytes: 100)))
        calls.withLock {
            $0.append {
                _ = try? other.store.put([1], at: id(0), if: .none, now: day(0))
                ended.signal()
            }
        }
        for _ in 0..<16 {
            Thread.detachNewThread {
                while let call = calls.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { call() }
            }
        }
        #expect(ended.wait(timeout: .now() + 10) == .success)
        #expect(quick.get(id(0)) != nil && slow.allSatisfy { $0.get(id(0)) == nil })
        for base in slow { base.release.signal() }
    }

    private final class Shared: Sendable {
        let store: QuotaStore<SlowStore>

        init(_ store: consuming QuotaStore<SlowStore>) { self.store = store }
    }
}

/// A store that does not measure until it is released.
private final class SlowStore: MeasuredStore {
    let memory = MemoryStore()
    let release = DispatchSemaphore(value: 0)

    func lengthOfOthers(than id: BackupID) -> Int {
        release.wait()
        release.signal()
        return memory.lengthOfOthers(than: id)
    }
    func length(of id: BackupID) -> Int { memory.length(of: id) }
    func get(_ id: BackupID) -> StoredBackup? { memory.get(id) }
    func put(_ backup: [UInt8], at id: BackupID, if conditions: Preconditions, now: Timestamp) -> PutResult {
        memory.put(backup, at: id, if: conditions, now: now)
    }
    func delete(_ id: BackupID, if conditions: Preconditions, now: Timestamp) -> DeleteResult {
        memory.delete(id, if: conditions, now: now)
    }
    func expire(_ sweep: Sweep) -> SweepReport { memory.expire(sweep) }
    func versions(of id: BackupID) -> [BackupVersion] { memory.versions(of: id) }
}

private final class SharedQuotaStore: Sendable {
    let store: QuotaStore<FolderStore>

    init(_ store: consuming QuotaStore<FolderStore>) { self.store = store }
}
