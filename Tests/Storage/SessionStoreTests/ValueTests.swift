import AtomicFiles
import Foundation
import SecureMemory
import Testing
import VectorKit

@testable import SessionStore

@Suite struct ValueTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test func `values are there after reopening, by kind and name`() throws {
        var store = try scratch.open()
        #expect(store.origin == .created)
        try store.transaction {
            try $0.set("session", "ECHOECHO", "first")
            try $0.set("session", "ECHOECHO", "second")
            try $0.set("queue", "ECHOECHO", "")
            let text = try $0.store.text("session", "ECHOECHO")
            #expect(text == "second")
        }
        store.close()
        store = try scratch.open()
        #expect(store.origin == .here)
        let texts = try [
            store.text("session", "ECHOECHO"), store.text("queue", "ECHOECHO"), store.text("session", "ABCDEFGH"),
        ]
        #expect(texts == ["second", "", nil])
        let contained = try [store.contains("queue", Array("ECHOECHO".utf8)), store.contains("queue", [0])]
        #expect(contained == [true, false])
        try store.transaction {
            try $0.set("session", "OTHEROTH", "third")
            try $0.remove("queue", Array("ECHOECHO".utf8))
            try $0.remove("queue", Array("ECHOECHO".utf8))
        }
        var counts = try [store.count(of: "session"), store.count(of: "queue")]
        #expect(counts == [2, 0])
        try store.transaction { try $0.removeAll("session") }
        counts = try [store.count(of: "session")]
        #expect(counts == [0])
    }

    @Test func `the longest name and value`() throws {
        let store = try scratch.open()
        let name = [UInt8](repeating: 0, count: OpenSessionStore.maxNameBytes)
        let value = Random.bytes(OpenSessionStore.maxValueBytes)
        try store.transaction { try $0.set("queue", name, value.span) }
        let read = try store.read("queue", name)?.copied
        #expect(read == value)
    }

    @Test func `nothing of a transaction that throws is made`() throws {
        struct Refused: Error {}
        let store = try scratch.open()
        try store.transaction { try $0.set("session", "a", "1") }
        #expect(throws: Refused.self) {
            try store.transaction {
                try $0.set("session", "a", "2")
                try $0.set("session", "b", "2")
                try $0.removeAll("session")
                throw Refused()
            }
        }
        let texts = try [store.text("session", "a"), store.text("session", "b")]
        #expect(texts == ["1", nil])
        try store.transaction { try $0.set("session", "b", "3") }
        let text = try store.text("session", "b")
        #expect(text == "3")
    }

    @Test func `a closed store throws`() throws {
        let store = try scratch.open()
        store.close()
        store.close()
        #expect(throws: SessionStoreError.self) { try store.contains("session", [1]) }
        #expect(throws: SessionStoreError.self) { try store.transaction { _ in Issue.record("called") } }
    }

    /// Row and value as hashlib and PyNaCl compute them.
    @Test func `the format is the described one`() throws {
        let key = SecureBytes(copying: Array(UInt8(0)..<32).span)
        let sealer = ValueSealer(messenger: "threema", id: "ABCD1234", key: key)
        let name = Array("ECHOECHO".utf8)
        #expect(sealer.digest(of: name).hex == "505b92760cf6f098b264129300efc4ce")
        let sealed = sealer.seal(Array("state".utf8).span, "session", name, nonce: Array(100..<124))
        #expect(
            sealed.hex == "4b5453326465666768696a6b6c6d6e6f707172737475767778797a7b"
                + "ea150902f6efae1d9dba493a577c95e1136f42912a2db3dd02a780825599")
        let opened = try sealer.open(sealed, "session", name).copied
        #expect(opened == Array("state".utf8))
    }

    @Test func `a value opens at its own row only, and whole`() throws {
        let key = SecureBytes(copying: Array(UInt8(0)..<32).span)
        let sealer = ValueSealer(messenger: "threema", id: "ABCD1234", key: key)
        let sealed = sealer.seal(Array("state".utf8).span, "session", [1, 2])
        func expectRefusal(_ sealer: borrowing ValueSealer, _ sealed: [UInt8], _ kind: ValueKind, _ name: [UInt8]) {
            do {
                _ = try sealer.open(sealed, kind, name)
                Issue.record("opened: \(sealed.hex)")
            } catch {
                #expect(error == .notAuthentic)
            }
        }
        expectRefusal(sealer, sealed, "queue", [1, 2])
        expectRefusal(sealer, sealed, "session", [1])
        expectRefusal(ValueSealer(messenger: "threema", id: "ABCD1235", key: key), sealed, "session", [1, 2])
        expectRefusal(ValueSealer(messenger: "telegram", id: "ABCD1234", key: key), sealed, "session", [1, 2])
        let other = SecureBytes(copying: [UInt8](repeating: 1, count: 32).span)
        expectRefusal(ValueSealer(messenger: "threema", id: "ABCD1234", key: other), sealed, "session", [1, 2])
        for count in sealed.indices { expectRefusal(sealer, Array(sealed[..<count]), "session", [1, 2]) }
        for bit in 0..<sealed.count * 8 {
            var flipped = sealed
            flipped[bit / 8] ^= 1 << (bit % 8)
            expectRefusal(sealer, flipped, "session", [1, 2])
        }
    }

    @Test func `the file shows neither names nor values, and only we may read it`() throws {
        let store = try scratch.open()
        try store.transaction { try $0.set("session", "ECHOECHO", "a value that nobody sees") }
        #expect(try scratch.names() == ["sessions.db", "sessions.db-journal"])
        for name in try scratch.names() {
            let attributes = try FileManager.default.attributesOfItem(atPath: scratch.at(name))
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let content = Data(try scratch.content(name))
            #expect(content.firstRange(of: Data("ECHOECHO".utf8)) == nil)
            #expect(content.firstRange(of: Data("nobody sees".utf8)) == nil)
        }
        store.close()
        #expect(try scratch.names() == ["sessions.db"])
        let kinds = try scratch.sql("SELECT DISTINCT kind, length(name) FROM value ORDER BY kind")
        #expect(kinds == ["session|16", "store|16"])
    }

    @Test func `a removed value leaves no ciphertext in the file`() throws {
        var store = try scratch.open()
        try store.transaction { try $0.set("session", "ECHOECHO", String(repeating: "x", count: 3000)) }
        store.close()
        let row = try scratch.sql("SELECT sealed FROM value WHERE kind = 'session'")
        let sealed = try #require([UInt8](hex: row[0]))
        #expect(Data(try scratch.content()).firstRange(of: Data(sealed.suffix(1000))) != nil)
        store = try scratch.open()
        try store.transaction { try $0.removeAll("session") }
        store.close()
        #expect(Data(try scratch.content()).firstRange(of: Data(sealed[100..<132])) == nil)
    }
}
