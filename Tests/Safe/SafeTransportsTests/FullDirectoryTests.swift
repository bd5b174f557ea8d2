import Foundation
import SafeWire
import Testing
import VectorKit

/// A server, and under it a file system of 256 KiB, unmounted with the value.
private final class TinyServer: Sendable {
    let server: DirectoryServer

    init() throws {
        server = try DirectoryServer()
        guard try Program.run("/bin/mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", server.path) == 0 else {
            throw CocoaError(.fileWriteNoPermission)
        }
    }

    deinit {
        _ = try? Program.run("/bin/umount", server.path)
    }

    static let isPossible = geteuid() == 0 && (try? TinyServer()) != nil
}

@Suite(.enabled(if: TinyServer.isPossible, "needs root and the right to mount a tmpfs"))
struct FullDirectoryTests {
    private let id = SafeExchangeRule.id(1)

    @Test func `a full one says so, and keeps the old backup`() throws {
        let tiny = try TinyServer()
        let exchange = tiny.server.exchange
        try exchange.prepare(.standard)
        try exchange.store([1], at: id, if: .none)
        #expect(throws: SafeExchangeError.full) {
            try exchange.store([UInt8](repeating: 2, count: 300_000), at: id, if: .none)
        }
        let backup = try exchange.fetch(id)?.bytes
        #expect(backup == [1])
        let tree = try tiny.server.tree()
        #expect(tree == ["backups", "backups/" + id.hex, "config"])
    }

    @Test func `a read-only one refuses changes and answers questions`() throws {
        let tiny = try TinyServer()
        let exchange = tiny.server.exchange
        try exchange.prepare(.standard)
        try exchange.store([1], at: id, if: .none)
        try #require(Program.run("/bin/mount", "-o", "remount,ro", tiny.server.path) == 0)
        let refused = SafeExchangeError.refused(code: EROFS)
        #expect(throws: refused) { try exchange.store([2], at: id, if: .none) }
        #expect(throws: refused) { try exchange.remove(id, if: .none) }
        let backup = try exchange.fetch(id)?.bytes
        #expect(backup == [1])
        _ = try exchange.config()
    }

    @Test func `preparing a read-only one says why it cannot`() throws {
        let tiny = try TinyServer()
        try #require(Program.run("/bin/mount", "-o", "remount,ro", tiny.server.path) == 0)
        #expect(throws: SafeExchangeError.refused(code: EROFS)) { try tiny.server.exchange.prepare(.standard) }
    }
}
