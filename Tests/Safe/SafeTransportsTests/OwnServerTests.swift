import Foundation
import SafeServer
import SafeStore
import SafeTransports
import SafeWire
import Synchronization
import Testing

/// The client against this package's own server.
@Suite struct OwnServerTests {
    private let id = SafeExchangeRule.id(0xab)

    @Test(arguments: SafeExchangeRule.withFixedLimits) func `the contract, on a store in memory`(
        _ rule: SafeExchangeRule
    ) throws {
        try rule.check(ServerInProcess(MemoryStore()))
    }

    @Test(arguments: SafeExchangeRule.withFixedLimits) func `the contract, on a directory`(
        _ rule: SafeExchangeRule
    ) throws {
        let directory = try DirectoryServer.prepared()
        let store = try FolderStore(at: directory.path, keepsPrevious: true, readLimit: 2 * maxFetchedBytes)
        try rule.check(ServerInProcess(store))
    }

    @Test(arguments: SafeExchangeRule.withFixedLimits) func `the contract, on an account with its login`(
        _ rule: SafeExchangeRule
    ) throws {
        let directory = try DirectoryServer.prepared()
        try rule.check(ServerInProcess(accountsIn: directory.path, password: "pässword: one"))
        let outside = try FileManager.default.contentsOfDirectory(atPath: directory.path + "/backups")
        #expect(outside == [])
    }

    @Test func `a wrong login is refused, and a quota is full`() throws {
        let directory = try DirectoryServer.prepared()
        let wrong = try ServerInProcess(accountsIn: directory.path, password: "right", typed: "wrong")
        #expect(throws: SafeExchangeError.unauthorized(wrong.address, hasLogin: true)) { try wrong.exchange.fetch(id) }
        let right = try ServerInProcess(accountsIn: directory.path, password: "right", quota: 10)
        try right.exchange.store([UInt8](repeating: 1, count: 10), at: id, if: .absent)
        #expect(throws: SafeExchangeError.full) {
            try right.exchange.store([UInt8](repeating: 1, count: 11), at: id, if: .none)
        }
        #expect(try right.exchange.fetch(id)?.bytes.count == 10)
    }

    @Test func `what one way stores in a directory, the other finds`() throws {
        let directory = try DirectoryServer.prepared()
        let server = ServerInProcess(try FolderStore(at: directory.path))
        try server.exchange.store([1, 2], at: id, if: .absent)
        #expect(try directory.exchange.fetch(id)?.bytes == [1, 2])
        try directory.exchange.store([3], at: id, if: .none)
        #expect(try server.exchange.fetch(id)?.bytes == [3])
        try server.exchange.remove(id, if: .none)
        #expect(try directory.exchange.fetch(id) == nil)
    }

    @Test func `a setup finds a server that is prepared, with its limits and its conditions`() throws {
        let server = ServerInProcess(MemoryStore(), maxBackupBytes: 1000)
        try server.exchange.prepare(.standard)
        let config = try server.exchange.config()
        #expect(try ServerLimits(config: config.span) == ServerLimits(maxBackupBytes: 1000, retentionDays: 180))
        // The probe: random bytes under a random id are stored, read, not replaced on a false condition, and removed.
        let probe = [UInt8](repeating: 7, count: 40)
        try server.exchange.store(probe, at: id, if: .absent)
        let changed = SafeExchangeError.changed(server.address)
        #expect(throws: changed) { try server.exchange.store([1], at: id, if: .absent) }
        #expect(throws: changed) { try server.exchange.store([1], at: id, if: .unchanged(tag: "\"x\"")) }
        #expect(throws: changed) { try server.exchange.remove(id, if: .unchanged(tag: "\"x\"")) }
        let stored = try #require(try server.exchange.fetch(id))
        #expect(stored.bytes == probe)
        try server.exchange.remove(id, if: .unchanged(tag: #require(stored.tag)))
        #expect(try server.exchange.fetch(id) == nil)
    }

    @Test func `of two writers who have seen the same backup, the second is refused`() throws {
        let server = ServerInProcess(MemoryStore())
        try server.exchange.store([1], at: id, if: .absent)
        let tag = try #require(try server.exchange.fetch(id)?.tag)
        try server.exchange.store([2], at: id, if: .unchanged(tag: tag))
        #expect(throws: SafeExchangeError.changed(server.address)) {
            try server.exchange.store([3], at: id, if: .unchanged(tag: tag))
        }
        #expect(try server.exchange.fetch(id)?.bytes == [2])
    }

    @Test func `a backup that is too large is full`() throws {
        let server = ServerInProcess(MemoryStore(), maxBackupBytes: 1000)
        let large = [UInt8](repeating: 1, count: 1001)
        #expect(throws: SafeExchangeError.full) { try server.exchange.store(large, at: id, if: .none) }
        #expect(try server.exchange.fetch(id) == nil)
    }

    @Test func `a client that is throttled waits as long as the server asks`() throws {
        let rate = RequestRate(burst: 2, interval: .seconds(7))
        let server = ServerInProcess(MemoryStore(), throttle: Throttle(clientRate: rate, backupRate: rate))
        let waits = Mutex<[Duration]>([])
        _ = try server.exchange.config()
        _ = try server.exchange.config()
        let client = server.client
        let exchange = server.exchange { wait in
            waits.withLock { $0.append(wait) }
            client.clock.withLock { $0 += Int(wait.components.seconds) }
        }
        let error = #expect(throws: SafeExchangeError.self) { try exchange.store([1], at: id, if: .none) }
        #expect(error == .throttled(server.address, seconds: 7, status: 429))
        let isPaused = exchange.pause(after: 1, try #require(error))
        #expect(isPaused)
        try exchange.store([1], at: id, if: .none)
        #expect(waits.withLock { $0 } == [.seconds(7)])
    }
}
