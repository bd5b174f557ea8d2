import AtomicFiles
import Foundation
import Testing
import VectorKit

@testable import SessionStore

/// A small file system in a directory of its own, gone with the value.
private final class TinyFileSystem: Sendable {
    let scratch: Scratch

    init(kibibytes: Int) throws {
        scratch = try Scratch()
        let options = "size=\(kibibytes)k,mode=0700"
        guard try Program.run("/bin/mount", "-t", "tmpfs", "-o", options, "tmpfs", scratch.path) == 0 else {
            throw CocoaError(.fileWriteNoPermission)
        }
    }

    deinit {
        _ = try? Program.run("/bin/umount", scratch.path)
    }

    func grow(kibibytes: Int) throws {
        try #require(try Program.run("/bin/mount", "-o", "remount,size=\(kibibytes)k", scratch.path) == 0)
    }

    static let isPossible = geteuid() == 0 && (try? TinyFileSystem(kibibytes: 4)) != nil
}

@Suite(.enabled(if: TinyFileSystem.isPossible, "needs root and the right to mount a tmpfs"))
struct FullDiskTests {
    @Test func `a full disk changes nothing, and more space is all it takes`() throws {
        let place = try TinyFileSystem(kibibytes: 256)
        let store = try place.scratch.open()
        let value = [UInt8](repeating: 1, count: 8000)
        var made = 0
        let full = #expect(throws: SessionStoreError.self) {
            while made < 100 {
                try store.transaction { transaction in
                    try transaction.set("queue", [UInt8(made)], value.span)
                    try transaction.set("session", "state", String(made))
                }
                made += 1
            }
        }
        #expect(full == .full(path: place.scratch.at("sessions.db")))
        #expect(made > 2)
        let state = try (store.count(of: "queue"), store.text("session", "state"))
        #expect(state == (made, String(made - 1)))
        try place.grow(kibibytes: 2048)
        try store.transaction { try $0.set("session", "state", "grown") }
        store.close()
        let again = try place.scratch.open()
        let later = try (again.origin, again.count(of: "queue"), again.text("session", "state"))
        #expect(later == (.here, made, "grown"))
    }

    @Test func `after a change that failed, no other one of its transaction is made`() throws {
        let place = try TinyFileSystem(kibibytes: 256)
        let store = try place.scratch.open()
        let value = [UInt8](repeating: 1, count: 8000)
        // More than SQLite keeps in memory, so that a change fails, and not only the end. SQLite rolls back then.
        #expect(throws: SessionStoreError.full(path: place.scratch.at("sessions.db"))) {
            try store.transaction { transaction in
                for number in 0..<500 {
                    try? transaction.set("queue", [UInt8(number / 256), UInt8(number % 256)], value.span)
                }
                try? transaction.set("session", "state", "late")
            }
        }
        let found = try (store.count(of: "queue"), store.text("session", "state"))
        #expect(found == (0, nil))
        try store.transaction { try $0.set("session", "state", "next") }
        #expect(try store.text("session", "state") == "next")
    }

    @Test func `a store that was left on a full disk opens again`() throws {
        let place = try TinyFileSystem(kibibytes: 256)
        var store = try place.scratch.open()
        let value = [UInt8](repeating: 1, count: 8000)
        var made = 0
        while (try? store.transaction { try $0.set("queue", [UInt8(made)], value.span) }) != nil { made += 1 }
        store.close()
        try place.grow(kibibytes: 2048)
        store = try place.scratch.open()
        let count = try store.count(of: "queue")
        #expect(count == made && made > 2)
    }

    @Test func `no new store fits on a full disk, and no half one is left`() throws {
        for kibibytes in [4, 8, 12, 16, 20, 24] {
            let place = try TinyFileSystem(kibibytes: kibibytes)
            do {
                _ = try place.scratch.open()
            } catch let error as SessionStoreError {
                switch error {
                case .full, .file(.system(_, _, ENOSPC)): break
                default: Issue.record("\(kibibytes) KiB: \(error)")
                }
                try place.grow(kibibytes: 1024)
                let store = try place.scratch.open()
                #expect(store.origin == .created)
                try store.transaction { try $0.set("session", "state", "1") }
            }
        }
    }
}
