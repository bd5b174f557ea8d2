import AtomicFiles
import Foundation
import SecureMemory
import Testing
import VectorKit

@testable import SessionStore

@Suite struct OpeningTests {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        let store = try scratch.open()
        try store.transaction {
            try $0.set("session", "ECHOECHO", "state")
            try $0.set("queue", "1", "message")
        }
        store.close()
    }

    private var damaged: SessionStoreError { .damaged(path: scratch.at("sessions.db")) }
    private var foreign: SessionStoreError { .foreign(path: scratch.at("sessions.db")) }

    // MARK: Copies

    /// Expects a copy: it reads, changes nothing, and after adopting it is like any other.
    private func expectCopy(_ scratch: Scratch, machine: [UInt8] = Scratch.machine) throws {
        var store = try scratch.open(machine: machine)
        #expect(store.origin == .copied)
        #expect(throws: SessionStoreError.copied(path: scratch.at("sessions.db"))) {
            try store.transaction { _ in Issue.record("called") }
        }
        let text = try store.text("session", "ECHOECHO")
        #expect(text == "state")
        store.close()
        // Not adopted, it is a copy still.
        store = try scratch.open(machine: machine)
        #expect(store.origin == .copied)
        struct Refused: Error {}
        #expect(throws: Refused.self) { try store.adopt { _ in throw Refused() } }
        #expect(store.origin == .copied)
        try store.adopt { try $0.removeAll("session") }
        #expect(store.origin == .here)
        try store.transaction { try $0.set("queue", "2", "next") }
        store.close()
        store = try scratch.open(machine: machine)
        #expect(store.origin == .here)
        let texts = try [store.text("session", "ECHOECHO"), store.text("queue", "1"), store.text("queue", "2")]
        #expect(texts == [nil, "message", "next"])
    }

    @Test func `a copy in another directory is told`() throws {
        let other = try Scratch()
        try FileManager.default.copyItem(atPath: scratch.at("sessions.db"), toPath: other.at("sessions.db"))
        try expectCopy(other)
        // The original is what it was.
        let store = try scratch.open()
        #expect(store.origin == .here)
    }

    @Test func `a file that was restored under its name is told`() throws {
        let content = try scratch.content()
        try FileManager.default.removeItem(atPath: scratch.at("sessions.db"))
        // The inode's number may be that of the removed file: its time of birth is not.
        try Data(content).write(to: URL(filePath: scratch.at("sessions.db")))
        chmod(scratch.at("sessions.db"), 0o600)
        try expectCopy(scratch)
    }

    @Test func `the same file on another machine is told`() throws {
        try expectCopy(scratch, machine: [UInt8](repeating: 8, count: 16))
    }

    @Test func `a directory that was renamed is no copy`() throws {
        let moved = scratch.path + "-moved"
        try FileManager.default.moveItem(atPath: scratch.path, toPath: moved)
        defer { try? FileManager.default.moveItem(atPath: moved, toPath: scratch.path) }
        let store = try OpenSessionStore(
            in: Directory.open(moved, rule: .secret), messenger: "threema", id: "ABCD1234",
            key: SecureBytes(copying: Array(UInt8(0)..<32).span), machine: Scratch.machine)
        #expect(store.origin == .here)
    }

    // MARK: What is no store of ours

    @Test func `another owner's key or name does not open it`() throws {
        #expect(throws: damaged) { try scratch.open(id: "ABCD1235") }
        #expect(throws: damaged) { try scratch.open(messenger: "telegram") }
        #expect(throws: damaged) { try scratch.open(key: [UInt8](repeating: 9, count: 32)) }
    }

    @Test(arguments: [
        "CREATE TABLE more (x)", "CREATE INDEX more ON value (sealed)", "CREATE VIEW more AS SELECT 1",
        "CREATE TRIGGER more AFTER INSERT ON value BEGIN DELETE FROM value; END", "DROP TABLE value",
        "ALTER TABLE value ADD COLUMN more TEXT", "PRAGMA application_id = 1",
        "DROP TABLE value; PRAGMA application_id = 0",
    ])
    func `another schema is refused`(_ change: String) throws {
        // A trigger has a semicolon inside.
        try scratch.sql(change.hasPrefix("CREATE TRIGGER") ? "SELECT 1" : change)
        if change.hasPrefix("CREATE TRIGGER") {
            let program = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).executescript(sys.argv[2])"
            _ = try Program.output(of: "/usr/bin/python3", ["-c", program, scratch.at("sessions.db"), change])
        }
        let content = try scratch.content()
        #expect(throws: foreign) { try scratch.open() }
        #expect(try scratch.content() == content)
    }

    @Test(arguments: [-1, 0, 1, 2, 4]) func `another version is refused`(_ version: Int) throws {
        for change in ["SELECT 1", "DROP TABLE value"] {
            try scratch.sql("PRAGMA user_version = \(version); \(change)")
            let content = try scratch.content()
            #expect(throws: SessionStoreError.unknownVersion(version, path: scratch.at("sessions.db"))) {
                try scratch.open()
            }
            #expect(try scratch.content() == content)
        }
    }

    @Test func `a store of version 2, which kept replaced values in a log, is refused and stays`() throws {
        let refused = SessionStoreError.unknownVersion(2, path: scratch.at("sessions.db"))
        func expectRefusal() throws {
            let files = try scratch.everyFile()
            #expect(throws: refused) { try scratch.open() }
            #expect(throws: refused) { try scratch.openExisting() }
            #expect(throws: refused) {
                try OpenSessionStore(
                    readingIn: Directory.open(scratch.path, rule: .secret), messenger: "threema", id: "ABCD1234",
                    key: SecureBytes(copying: Array(UInt8(0)..<32).span))
            }
            let isUnchanged = try scratch.everyFile() == files
            #expect(isUnchanged)
        }
        // A log beside a file of version 3.
        try Data([1]).write(to: URL(filePath: scratch.at("sessions.db-wal")))
        chmod(scratch.at("sessions.db-wal"), 0o600)
        try expectRefusal()
        try FileManager.default.removeItem(atPath: scratch.at("sessions.db-wal"))
        try scratch.sql("PRAGMA user_version = 2; PRAGMA journal_mode = WAL")
        try expectRefusal()
    }

    @Test func `a database with automatic vacuum is refused`() throws {
        try scratch.sql("PRAGMA auto_vacuum = FULL; VACUUM")
        let content = try scratch.content()
        #expect(throws: foreign) { try scratch.open() }
        #expect(try scratch.content() == content)
    }

    @Test func `values of others that SQLite takes do not open`() throws {
        let rows = try scratch.sql("SELECT hex(name) FROM value WHERE kind = 'session'")
        try scratch.sql(
            "UPDATE value SET sealed = (SELECT sealed FROM value WHERE kind = 'queue') WHERE kind = 'session'")
        var store = try scratch.open()
        #expect(throws: damaged) { try store.text("session", "ECHOECHO") }
        store.close()
        try scratch.sql("UPDATE value SET sealed = x'' WHERE name = x'\(rows[0])'")
        store = try scratch.open()
        #expect(throws: damaged) { try store.text("session", "ECHOECHO") }
        let isThere = try store.contains("session", Array("ECHOECHO".utf8))
        #expect(isThere)
        store.close()
        try scratch.sql("UPDATE value SET sealed = zeroblob(3000000) WHERE name = x'\(rows[0])'")
        store = try scratch.open()
        #expect(throws: damaged) { try store.text("session", "ECHOECHO") }
        store.close()
        try scratch.sql("DELETE FROM value WHERE kind = 'store'")
        #expect(throws: damaged) { try scratch.open() }
    }

    @Test func `a file that is cut or altered ends in a typed error, or reads as it was`() throws {
        let content = try scratch.content()
        let cuts = stride(from: 1, to: content.count, by: 97).map { Array(content[..<$0]) }
        let flips = stride(from: 0, to: content.count, by: 13).map { index in
            var flipped = content
            flipped[index] ^= 1 << UInt8(index % 8)
            return flipped
        }
        var refusals = 0
        for file in cuts + flips + [[UInt8](repeating: 0x41, count: 8192)] {
            try scratch.overwrite(file)
            do {
                let store = try scratch.open()
                if try store.text("session", "ECHOECHO") != "state" { refusals += 1 }
                store.close()
            } catch let error as SessionStoreError {
                refusals += 1
                switch error {
                case .damaged, .foreign, .unknownVersion, .system: break
                default: Issue.record("\(error)")
                }
            }
            for name in try scratch.names() where name != "sessions.db" {
                try FileManager.default.removeItem(atPath: scratch.at(name))
            }
        }
        #expect(refusals > cuts.count)
        try scratch.overwrite(content)
        let text = try scratch.open().text("session", "ECHOECHO")
        #expect(text == "state")
    }

    @Test func `an empty file is a new store`() throws {
        try scratch.overwrite([])
        let store = try scratch.open()
        #expect(store.origin == .created)
    }

    @Test func `an empty file is no store where none may be created, and stays as it is`() throws {
        for content in [[], try Scratch.emptyDatabase()] {
            try scratch.overwrite(content)
            #expect(throws: damaged) { try scratch.openExisting() }
            #expect(try scratch.content() == content)
            #expect(try scratch.names() == ["sessions.db"])
        }
        let missing = try Scratch()
        #expect(throws: SessionStoreError.self) { try missing.openExisting() }
        #expect(!FileManager.default.fileExists(atPath: missing.at("sessions.db")))
    }

    // MARK: What stands in the way

    @Test(arguments: ["sessions.db", "sessions.db-wal", "sessions.db-journal"])
    func `a link is not followed`(_ name: String) throws {
        let target = try Scratch()
        try? FileManager.default.moveItem(atPath: scratch.at("sessions.db"), toPath: target.at("sessions.db"))
        if name != "sessions.db" {
            try FileManager.default.copyItem(atPath: target.at("sessions.db"), toPath: scratch.at("sessions.db"))
        }
        try FileManager.default.createSymbolicLink(
            atPath: scratch.at(name), withDestinationPath: target.at("sessions.db"))
        let content = try target.content()
        #expect(throws: SessionStoreError.file(.wrongKind(path: scratch.at(name)))) { try scratch.open() }
        #expect(try target.content() == content)
    }

    @Test func `a file that others may read is refused`() throws {
        chmod(scratch.at("sessions.db"), 0o640)
        #expect(throws: SessionStoreError.file(.exposed(path: scratch.at("sessions.db"), mode: 0o640))) {
            try scratch.open()
        }
    }

    @Test func `two at once are told`() throws {
        let store = try scratch.open()
        #expect(throws: SessionStoreError.busy(path: scratch.at("sessions.db"))) { try scratch.open() }
        store.close()
        #expect(try scratch.open().origin == .here)
    }
}
