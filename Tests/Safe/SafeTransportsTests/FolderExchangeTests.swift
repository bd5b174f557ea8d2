import Foundation
import SafeWire
import Synchronization
import Testing
import SafeTransports

@Suite struct FolderExchangeTests {
    @Test(arguments: SafeExchangeRule.prepared) func `the contract`(_ rule: SafeExchangeRule) throws {
        try rule.check(DirectoryServer.prepared())
    }

    @Test(arguments: SafeExchangeRule.unprepared) func `the contract, before preparation`(
        _ rule: SafeExchangeRule
    ) throws {
        try rule.check(DirectoryServer())
    }

    private let id = SafeExchangeRule.id(0xab)
    private let place = "backups/" + String(repeating: "ab", count: 32)

    @Test func `the layout is that of a server's paths`() throws {
        let server = try DirectoryServer.prepared()
        try server.exchange.store([1, 2], at: id, if: .none)
        let tree = try server.tree()
        #expect(tree == ["backups", place, "config"])
        let config = try server.content("config")
        #expect(config == Array(#"{"maxBackupBytes":524288,"retentionDays":180}"#.utf8))
        let backup = try server.content(place)
        #expect(backup == [1, 2])
    }

    @Test func `a directory without backups is not prepared`() throws {
        let server = try DirectoryServer()
        try server.putConfig(ServerLimits.standard.config)
        let notPrepared = SafeExchangeError.notPrepared(server.address)
        #expect(throws: notPrepared) { try server.exchange.fetch(id) }
        #expect(throws: notPrepared) { try server.exchange.store([1], at: id, if: .none) }
        #expect(throws: notPrepared) { try server.exchange.remove(id, if: .none) }
        let tree = try server.tree()
        #expect(tree == ["config"])
    }

    @Test func `preparing makes the last directory alone`() throws {
        let server = try DirectoryServer()
        let exchange = try FolderExchange(SafeServerAddress(parsing: server.address + "/a/b c"))!
        #expect(throws: SafeExchangeError.unavailable(server.address + "/a/b%20c")) { try exchange.config() }
        #expect(throws: SafeExchangeError.unavailable(server.address + "/a/b%20c")) { try exchange.prepare(.standard) }
        let none = try server.tree()
        #expect(none == [])
        try FolderExchange(SafeServerAddress(parsing: server.address + "/a"))!.prepare(.standard)
        try exchange.prepare(.standard)
        let tree = try server.tree()
        #expect(tree == ["a", "a/b c", "a/b c/backups", "a/b c/config", "a/backups", "a/config"])
    }

    @Test func `a directory that holds other files is not prepared, unless it is a server already`() throws {
        let server = try DirectoryServer()
        try server.put("picture", [1])
        #expect(throws: SafeExchangeError.notEmpty(server.address)) { try server.exchange.prepare(.standard) }
        let tree = try server.tree()
        #expect(tree == ["picture"])
        let prepared = try DirectoryServer.prepared()
        try prepared.put("picture", [1])
        try prepared.exchange.prepare(.standard)
    }

    @Test func `a temporary file is no backup, and a young one is left alone, however it is dated`() throws {
        let server = try DirectoryServer.prepared()
        let young = [".new", ".1x9z.new"].map { "backups/." + id.hex + $0 }
        let foreign = ["backups/.notes.1x9z.new", "backups/.new"]
        for name in young + foreign {
            try server.put(name, [9, 9, 9])
            try server.setAge(.seconds(3700), of: name)
        }
        let absent = try server.exchange.fetch(id)?.bytes
        #expect(absent == nil)
        let hold = try server.exchange.hold()
        try server.exchange.store([1], at: id, if: .none)
        withExtendedLifetime(hold) {}
        let backup = try server.exchange.fetch(id)?.bytes
        #expect(backup == [1])
        let tree = try server.tree()
        #expect(tree == (["backups", place, "config"] + young + foreign).sorted())
    }

    @Test func `links and other things in the place of files are refused`() throws {
        let server = try DirectoryServer.prepared()
        try server.put("elsewhere", [7])
        func refused(_ entry: SafeExchangeError.Entry) -> SafeExchangeError { .wrongKind(server.address, entry) }
        try server.putLink(place, to: "../elsewhere")
        #expect(throws: refused(.backup)) { try server.exchange.fetch(id) }
        #expect(throws: refused(.backup)) { try server.exchange.store([1], at: id, if: .none) }
        try server.remove(place)
        try #require(mkfifo(server.at(place), 0o600) == 0)
        #expect(throws: refused(.backup)) { try server.exchange.fetch(id) }
        try server.remove(place)
        try #require(mkdir(server.at(place), 0o700) == 0)
        #expect(throws: refused(.backup)) { try server.exchange.fetch(id) }
        try server.remove("config")
        try server.putLink("config", to: "elsewhere")
        #expect(throws: refused(.config)) { try server.exchange.config() }
        try server.remove("backups")
        try server.putLink("backups", to: "/tmp")
        #expect(throws: refused(.backups)) { try server.exchange.fetch(id) }
        #expect(throws: refused(.backups)) { try server.exchange.store([1], at: id, if: .none) }
        let elsewhere = try server.content("elsewhere")
        #expect(elsewhere == [7])
    }

    @Test func `the directory itself may be a link, but not a file`() throws {
        let server = try DirectoryServer.prepared()
        try server.putLink("link", to: ".")
        let linked = try FolderExchange(SafeServerAddress(parsing: server.address + "/link"))!
        try linked.store([1], at: id, if: .none)
        let backup = try server.exchange.fetch(id)?.bytes
        #expect(backup == [1])
        let file = try FolderExchange(SafeServerAddress(parsing: server.address + "/config"))!
        #expect(throws: SafeExchangeError.refused(code: ENOTDIR)) { try file.config() }
        #expect(throws: SafeExchangeError.refused(code: ENOTDIR)) { try file.prepare(.standard) }
    }

    @Test func `of many writers at once, each waiting for its turn, one whole backup stands there`() throws {
        let server = try DirectoryServer.prepared()
        let faults = Faults()
        for _ in 0..<10 {
            let end = DispatchGroup()
            for writer in 0..<8 {
                end.enter()
                Thread.detachNewThread { [id] in
                    do {
                        let hold = try server.exchange.hold()
                        try server.exchange.store([UInt8](repeating: UInt8(writer), count: 100_000), at: id, if: .none)
                        // Until the lock is dropped it is the own one that stands there.
                        let isOwn = try server.exchange.fetch(id)?.bytes.first == UInt8(writer)
                        if !isOwn { faults.values.withLock { $0.append("replaced meanwhile") } }
                        withExtendedLifetime(hold) {}
                    } catch {
                        faults.values.withLock { $0.append("\(error)") }
                    }
                    end.leave()
                }
            }
            end.wait()
            let backup = try server.exchange.fetch(id)?.bytes ?? []
            if backup.count != 100_000 || Set(backup).count != 1 { faults.values.withLock { $0.append("not whole") } }
        }
        #expect(faults.values.withLock { $0 } == [])
        let tree = try server.tree()
        #expect(tree == ["backups", place, "config"])
    }

    private final class Faults: Sendable {
        let values = Mutex<[String]>([])
    }

    @Test func `a lock that another holds is waited for as long as was asked`() throws {
        let server = try DirectoryServer.prepared()
        let hold = try server.exchange.hold()
        let second = try #require(try FolderExchange(SafeServerAddress(parsing: server.address), lockWait: .zero))
        #expect(throws: SafeExchangeError.busy(server.address)) { try second.hold() }
        withExtendedLifetime(hold) {}
    }

    @Test func `without preparation there is nothing to hold`() throws {
        let server = try DirectoryServer()
        #expect(throws: SafeExchangeError.notPrepared(server.address)) { try server.exchange.hold() }
        try server.takeAway()
        #expect(throws: SafeExchangeError.unavailable(server.address)) { try server.exchange.hold() }
    }
}
