import AtomicFiles
import Foundation
import SecureMemory
import Testing

@testable import SessionStore

@Suite struct ExaminationTests {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        let store = try scratch.open(machine: StorePlace.thisMachine)
        try store.transaction {
            for index in 0..<40 { try $0.set("session", "peer \(index)", String(repeating: "state", count: 500)) }
            try $0.set("queue", "1", "message")
        }
        store.close()
    }

    /// What each file of the directory contains, and when it was changed.
    private func state(_ scratch: Scratch) throws -> [String: [UInt8]] {
        var state: [String: [UInt8]] = [:]
        for name in try scratch.names() {
            let attributes = try FileManager.default.attributesOfItem(atPath: scratch.at(name))
            state[name] = try scratch.content(name)
            state[name + " changed"] = Array("\(attributes[.modificationDate]!) \(attributes[.systemFileNumber]!)".utf8)
        }
        return state
    }

    /// Examines twice, because nothing may depend on the first time, and expects that nothing changed.
    private func expect(_ condition: StoreCondition, id: String = "ABCD1234", of other: Scratch? = nil) throws {
        let scratch = other ?? scratch
        let before = try state(scratch)
        for _ in 0..<2 {
            let found = try OpenSessionStore.examine(
                in: Directory.open(scratch.path, rule: .secret), messenger: "threema", id: id,
                key: SecureBytes(copying: Array(UInt8(0)..<32).span))
            #expect(found == condition)
            #expect(try state(scratch) == before)
        }
    }

    @Test func `a sound store`() throws { try expect(.sound) }

    @Test func `a copy`() throws {
        let other = try Scratch()
        try FileManager.default.copyItem(atPath: scratch.at("sessions.db"), toPath: other.at("sessions.db"))
        try expect(.copied, of: other)
        try expect(.sound)
    }

    @Test func `a store in WAL mode`() throws {
        try scratch.sql("PRAGMA journal_mode = WAL")
        try expect(.unknownVersion)
    }

    @Test func `an emptied file and one without a table`() throws {
        try FileManager.default.copyItem(atPath: scratch.at("sessions.db"), toPath: scratch.at("sessions.db-journal"))
        try scratch.overwrite([])
        try expect(.emptied)
        try FileManager.default.removeItem(atPath: scratch.at("sessions.db-journal"))
        try scratch.overwrite(Scratch.emptyDatabase())
        try expect(.emptied)
    }

    @Test func `a store of another owner or keystore`() throws {
        try expect(.otherKey, id: "ZZZZ9999")
        let other = try Scratch()
        try other.open(key: [UInt8](repeating: 3, count: 32)).close()
        try expect(.otherKey, of: other)
    }

    @Test func `a store without its place`() throws {
        try scratch.sql("DELETE FROM value WHERE kind = 'store'")
        try expect(.damaged)
    }

    @Test(arguments: ["store", "session", "queue"]) func `a value that does not open`(kind: String) throws {
        // Another last byte than the one that is there.
        try scratch.sql(
            """
            UPDATE value SET sealed = CAST(
                substr(sealed, 1, length(sealed) - 1) || CASE substr(sealed, -1) WHEN x'00' THEN x'01' ELSE x'00' END AS BLOB
            ) WHERE kind = '\(kind)'
            """)
        try expect(.damaged)
    }

    @Test func `a value under another name or kind`() throws {
        try scratch.sql("UPDATE value SET kind = 'nonce' WHERE kind = 'queue'")
        try expect(.damaged)
        try scratch.sql("UPDATE value SET kind = 'queue', name = zeroblob(16) WHERE kind = 'nonce'")
        try expect(.damaged)
        try scratch.sql("UPDATE value SET kind = 'Upper' WHERE kind = 'queue'")
        try expect(.damaged)
    }

    @Test func `a page that is damaged`() throws {
        var content = try scratch.content()
        for index in (content.count - 4096)..<content.count { content[index] ^= 0x55 }
        try scratch.overwrite(content)
        try expect(.damaged)
    }

    @Test func `a file that is none`() throws {
        try scratch.overwrite(Array("no database, and longer than the header of one".utf8))
        try expect(.damaged)
        try scratch.overwrite(Scratch.emptyDatabase())
        try scratch.sql("CREATE TABLE other (a)")
        try expect(.foreign)
    }

    @Test func `a store of a later version`() throws {
        try scratch.sql("PRAGMA user_version = 4")
        try expect(.unknownVersion)
    }

    @Test func `a journal that is none`() throws {
        try Data([1, 2, 3]).write(to: URL(filePath: scratch.at("sessions.db-journal")))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: scratch.at("sessions.db-journal"))
        try expect(.damaged)
    }

    @Test func `a store that is open is in use`() throws {
        let store = try scratch.open(machine: StorePlace.thisMachine)
        defer { store.close() }
        let condition = try OpenSessionStore.examine(
            in: Directory.open(scratch.path, rule: .secret), messenger: "threema", id: "ABCD1234",
            key: SecureBytes(copying: Array(UInt8(0)..<32).span))
        #expect(condition == .inUse)
        // Its program goes on.
        try store.transaction { try $0.set("queue", "2", "next") }
    }

    @Test func `links and files of others are refused`() throws {
        try FileManager.default.moveItem(atPath: scratch.at("sessions.db"), toPath: scratch.at("real"))
        try FileManager.default.createSymbolicLink(
            atPath: scratch.at("sessions.db"), withDestinationPath: scratch.at("real"))
        #expect(throws: SessionStoreError.file(.wrongKind(path: scratch.at("sessions.db")))) {
            try expect(.sound)
        }
    }
}
