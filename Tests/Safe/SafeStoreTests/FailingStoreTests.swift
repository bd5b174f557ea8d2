import AtomicFiles
import Foundation
import SafeStore
import SafeWire
import StoreKit
import Testing
import VectorKit

/// A prepared server on a file system of 256 KiB, which is unmounted with the value.
private final class TinyStore: Sendable {
    let place: StoreInDirectory

    init() throws {
        place = try StoreInDirectory()
        let options = "size=256k,nr_inodes=12,mode=0700"
        guard try Program.run("/bin/mount", "-t", "tmpfs", "-o", options, "tmpfs", place.path) == 0 else {
            throw CocoaError(.fileWriteNoPermission)
        }
        try FolderStore.prepare(at: place.path, limits: .standard)
        try place.withStore { store in
            for byte: UInt8 in 1...2 { _ = try store.put([byte], at: id(1), if: .none, now: day(0)) }
        }
    }

    deinit { _ = try? Program.run("/bin/umount", place.path) }

    static let isPossible = geteuid() == 0 && (try? TinyStore()) != nil

    /// Expects that a write and a deletion fail, and that every name and every backup is as before.
    func expectUnchanged(_ body: (borrowing FolderStore) throws -> Void) throws {
        let before = try place.tree()
        try place.withStore { store in
            try body(store)
            let present = try store.get(id(1))?.bytes
            #expect(present == [2])
            let versions = try store.versions(of: id(1)).map(\.count)
            #expect(versions == [1])
        }
        let after = try place.tree()
        #expect(after == before)
    }
}

@Suite(.enabled(if: TinyStore.isPossible, "needs root and the right to mount a tmpfs"))
struct FailingStoreTests {
    private let large = [UInt8](repeating: 9, count: 300_000)

    @Test func `a full disk leaves the old backup and no other file`() throws {
        try TinyStore().expectUnchanged { store in
            #expect(throws: StoreError.full) { try store.put(large, at: id(1), if: .none, now: day(1)) }
            #expect(throws: StoreError.full) { try store.put(large, at: id(2), if: .none, now: day(1)) }
            let other = try store.get(id(2))
            #expect(other == nil)
        }
    }

    @Test func `a file system without free inodes leaves no file`() throws {
        let tiny = try TinyStore()
        var fillers = 0
        while FileManager.default.createFile(atPath: tiny.place.path + "/filler\(fillers)", contents: nil) {
            fillers += 1
        }
        try tiny.expectUnchanged { store in
            #expect(throws: StoreError.full) { try store.put([9], at: id(1), if: .none, now: day(1)) }
            #expect(throws: StoreError.full) { try store.put([9], at: id(2), if: .none, now: day(1)) }
        }
    }

    @Test func `a read-only file system is answered with an error and still read`() throws {
        let tiny = try TinyStore()
        try #require(Program.run("/bin/mount", "-o", "remount,ro", tiny.place.path) == 0)
        try tiny.expectUnchanged { store in
            #expect(throws: StoreError.self) { try store.put([9], at: id(1), if: .none, now: day(1)) }
            #expect(throws: StoreError.self) { try store.delete(id(1), if: .none, now: day(1)) }
            let now = ClockReading(wall: day(400), monotonic: .zero)
            let sweep = Sweep(retentionDays: 180, now: now, last: nil, deleting: .always)
            #expect(throws: StoreError.self) { try store.expire(sweep) }
        }
    }

    @Test func `a name that is a directory is neither replaced nor deleted`() throws {
        let place = try StoreInDirectory()
        let name = place.path + "/backups/" + id(3).hex
        try FileManager.default.createDirectory(atPath: name, withIntermediateDirectories: false)
        let before = try place.tree()
        try place.withStore { store in
            #expect(throws: StoreError.self) { try store.put([9], at: id(3), if: .none, now: day(1)) }
            #expect(throws: StoreError.self) { try store.delete(id(3), if: .none, now: day(1)) }
            #expect(throws: StoreError.self) { try store.get(id(3)) }
        }
        let after = try place.tree().filter { $0 != "previous" }
        #expect(after == before)
    }
}
