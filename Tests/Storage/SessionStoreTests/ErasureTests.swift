import AtomicFiles
import CWindows
import Foundation
import SecureMemory
import Testing
import VectorKit

@testable import SessionStore

/// The sealed bytes of values that were replaced, removed, or never committed.
final class DeadValues {
    private let windows = keytool_windows_new()!
    private(set) var count = 0

    deinit { keytool_windows_free(windows) }

    func add(_ sealed: [UInt8]) {
        keytool_windows_add(windows, sealed, sealed.count)
        count += 1
    }

    /// The files that contain 16 bytes of one of them, and where.
    func found(in files: [String: [UInt8]]) -> [String] {
        files.compactMap { name, content in
            let place = keytool_windows_find(windows, content, content.count)
            return place < content.count ? "\(name) at \(place)" : nil
        }
    }
}

/// A store that is changed at random, with everything that was ever in it.
private final class ChangingStore {
    private let scratch: Scratch
    private let protection: StoreProtection
    private let random: SeededRandom
    private var store: OpenSessionStore
    private var live: [String: [UInt8]] = [:]
    let dead = DeadValues()
    private(set) var most = 0

    private struct Refused: Error {}

    init(seed: UInt64, _ protection: StoreProtection) throws {
        // Files in memory are overwritten as others are, and need no disk.
        scratch = try Scratch(in: FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : nil)
        self.protection = protection
        random = SeededRandom(seed: seed)
        store = try scratch.open(protection)
    }

    /// From 1 to the limit; each power of it is as likely.
    private func number(upTo limit: Double) -> Int {
        Int(pow(limit, Double(random.number(below: 1000)) / 1000))
    }

    private func sealed(_ name: String) throws -> [UInt8]? {
        let statement = try store.database.prepare("SELECT sealed FROM value WHERE kind = 'queue' AND name = ?")
        return try statement.first([.blob(store.sealer.digest(of: Array(name.utf8)))]) { $0.bytes(0) }
    }

    /// Makes 1 to 50 changes, and commits all of them or none.
    private func change(removing share: Int, commits: Bool) throws {
        var (touched, made): (Set<String>, [[UInt8]]) = ([], [])
        do {
            try store.transaction { changes in
                for _ in 0..<number(upTo: 51) {
                    let name = String(random.number(below: 120))
                    touched.insert(name)
                    if random.number(below: 100) < share {
                        try changes.remove("queue", Array(name.utf8))
                    } else {
                        let value = [UInt8](repeating: 1, count: 39 + number(upTo: 19_962))
                        try changes.set("queue", Array(name.utf8), value.span)
                        let sealed = try sealed(name)
                        made.append(try #require(sealed))
                    }
                }
                if !commits { throw Refused() }
            }
        } catch is Refused {}
        for name in touched {
            made += live[name].map { [$0] } ?? []
            live[name] = try sealed(name)
        }
        let now = Set(touched.compactMap { live[$0] })
        for sealed in made where !now.contains(sealed) { dead.add(sealed) }
        most = max(most, live.count)
    }

    /// - Returns: where something is left of a dead value after one of the transactions; then no more are made.
    func run(_ count: Int) throws -> [String] {
        for number in 0..<count {
            // It grows and shrinks.
            try change(removing: number / 50 % 2 == 0 ? 15 : 60, commits: number % 9 != 5)
            if number % 200 == 199 {
                store.close()
                store = try scratch.open(protection)
            }
            let found = try dead.found(in: scratch.everyFile())
            if !found.isEmpty { return found }
        }
        return []
    }

    func expectSound() throws {
        store.close()
        #expect(try scratch.sql("PRAGMA integrity_check") == ["ok"])
        store = try scratch.open(protection)
        let count = try store.count(of: "queue")
        #expect(count == live.count)
    }
}

/// When a commit has returned, the files contain nothing of what it replaced.
@Suite struct ErasureTests {
    private static let seeds: [UInt64] =
        triesAllCases ? [1, 2, 3, 4, 5] : [1]

    @Test(arguments: seeds) func `a thousand random transactions leave nothing of what they replaced`(seed: UInt64)
        throws
    {
        let store = try ChangingStore(seed: seed, .full)
        #expect(try store.run(1000) == [])
        #expect(store.dead.count > 5000 && store.most > 80, "\(store.dead.count), \(store.most)")
        try store.expectSound()
    }

    @Test(arguments: [
        StoreProtection(isErasing: false), StoreProtection(isErasing: false, journalMode: "TRUNCATE"),
        StoreProtection(isErasing: false, journalMode: "WAL"), StoreProtection(securesDeletion: false),
    ])
    func `without one part of the protection, something is left`(_ protection: StoreProtection) throws {
        #expect(try ChangingStore(seed: 1, protection).run(1000) != [])
    }

    @Test func `a value that was never committed is not left in pages that were free`() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        let value = [UInt8](repeating: 1, count: 20_000)
        for index in 0..<40 { try store.transaction { try $0.set("queue", [UInt8(index)], value.span) } }
        try store.transaction { try $0.removeAll("queue") }
        let before = try scratch.content()
        struct Refused: Error {}
        // Some pages are written before the end, because SQLite keeps 2 MB in memory.
        #expect(throws: Refused.self) {
            try store.transaction { changes in
                for index in 0..<250 { try changes.set("queue", [UInt8(index)], value.span) }
                #expect(try scratch.content() != before)
                throw Refused()
            }
        }
        let isSame = try scratch.content() == before
        #expect(isSame)
    }

    @Test func `a journal that was long is not kept`() throws {
        let scratch = try Scratch()
        let store = try scratch.open()
        for _ in 0..<2 {
            let value = [UInt8](repeating: 1, count: 1 << 20)
            try store.transaction { try $0.set("queue", [1], value.span) }
            try store.transaction { try $0.set("queue", [2], value.span) }
            try store.transaction { try $0.removeAll("queue") }
        }
        #expect(try scratch.content("sessions.db-journal") == [])
        try store.transaction { try $0.set("session", "state", "1") }
        let journal = try scratch.content("sessions.db-journal")
        #expect(journal.count > 4096 && journal.allSatisfy { $0 == 0 })
    }
}
