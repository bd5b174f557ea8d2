import AtomicFiles
import Foundation
import SecureMemory
import Testing
import VectorKit

@testable import SessionStore

/// The values of a store outside of it, and a store that is made from them.
@Suite struct ExportTests {
    private let scratch: Scratch
    private static let limit = 1 << 20

    init() throws {
        scratch = try Scratch()
    }

    private func copied(_ values: ExportedValues) -> [UInt8] {
        values.withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }

    private func refusal(_ bytes: [UInt8]) -> ExportError? {
        do throws(ExportError) {
            _ = try ExportedValues(bytes.span)
            return nil
        } catch {
            return error
        }
    }

    /// A store with the values of a vector.
    private func store(_ vector: Vector) throws -> OpenSessionStore {
        let store = try scratch.open()
        let kinds: [String: ValueKind] = [
            "session": "session", "nonce": "nonce", "abcdefghijklmnop": "abcdefghijklmnop",
        ]
        let (names, values) = (try vector.inputs.strings("names"), try vector.inputs.strings("values"))
        try store.transaction { transaction in
            for (index, kind) in try vector.inputs.strings("kinds").enumerated() {
                let (name, value) = (
                    try #require([UInt8](hex: names[index])), try #require([UInt8](hex: values[index]))
                )
                try transaction.set(kinds[kind]!, name, value.span)
            }
        }
        return store
    }

    @Test(arguments: try Vector.all(in: .sessionExport))
    func `an export is what an independent program computes, and it reads as the same`(_ vector: Vector) throws {
        let store = try store(vector)
        let file = try vector.expected.bytes("file")
        let values = try store.exportedValues(limit: Self.limit)
        #expect(copied(values) == file)
        let parsed = try ExportedValues(file.span)
        #expect(copied(parsed) == file)
        let count = try vector.inputs.strings("kinds").count
        #expect(values.count == count && parsed.count == count)
    }

    @Test(arguments: try Vector.all(in: .sessionExport))
    func `a store made from an export is a copy with the same values`(_ vector: Vector) throws {
        let file = try vector.expected.bytes("file")
        let other = try Scratch()
        try other.create(holding: ExportedValues(file.span))
        #expect(try other.names() == ["sessions.db"])
        var store = try other.open()
        #expect(store.origin == .copied)
        #expect(throws: SessionStoreError.copied(path: other.at("sessions.db"))) { try store.transaction { _ in } }
        let again = try store.exportedValues(limit: Self.limit)
        #expect(copied(again) == file)
        try store.adopt { try $0.removeAll("session") }
        store.close()
        store = try other.open()
        #expect(store.origin == .here)
        let count = try store.count(of: "session")
        #expect(count == 0)
    }

    @Test func `nothing of the first store's sealing is in the second one`() throws {
        let store = try scratch.open()
        try store.transaction { try $0.set("session", "ECHOECHO", "state") }
        let values = try store.exportedValues(limit: Self.limit)
        store.close()
        let other = try Scratch()
        try other.create(holding: values, id: "WXYZ9876")
        #expect(throws: SessionStoreError.damaged(path: other.at("sessions.db"))) { try other.open() }
        let opened = try other.open(id: "WXYZ9876")
        let text = try opened.text("session", "ECHOECHO")
        #expect(text == "state")
        opened.close()
        let names = "SELECT hex(name) FROM value WHERE kind = 'session'"
        #expect(try other.sql(names) != scratch.sql(names))
    }

    @Test func `a store that is there is not changed`() throws {
        let store = try scratch.open()
        try store.transaction { try $0.set("session", "ECHOECHO", "state") }
        let values = try store.exportedValues(limit: Self.limit)
        store.close()
        let content = try scratch.content()
        #expect(throws: SessionStoreError.file(.exists(path: scratch.at("sessions.db")))) {
            try scratch.create(holding: values)
        }
        #expect(try scratch.content() == content)
    }

    @Test func `a longer export than is wanted`() throws {
        let vector = try Vector.named("session-export-three", in: .sessionExport)
        let store = try store(vector)
        let count = try vector.expected.bytes("file").count
        #expect(try store.exportedValues(limit: count).byteCount == count)
        #expect(throws: ExportError.tooLong(limit: count - 1)) { try store.exportedValues(limit: count - 1) }
    }

    // MARK: Damage

    @Test func `a value under the name or the kind of another one does not leave the store`() throws {
        for change in [
            "UPDATE value SET sealed = (SELECT sealed FROM value WHERE kind = 'queue') WHERE kind = 'session'",
            "UPDATE value SET name = zeroblob(16) WHERE kind = 'session'",
            "UPDATE value SET kind = 'other' WHERE kind = 'session'",
            "UPDATE value SET kind = 'A' WHERE kind = 'session'",
            "UPDATE value SET sealed = x'' WHERE kind = 'session'",
        ] {
            let other = try Scratch()
            var store = try other.open()
            try store.transaction {
                try $0.set("session", "ECHOECHO", "state")
                try $0.set("queue", "ECHOECHO", "message")
            }
            store.close()
            try other.sql(change)
            store = try other.open()
            #expect(throws: SessionStoreError.damaged(path: other.at("sessions.db")), "\(change)") {
                try store.exportedValues(limit: Self.limit)
            }
        }
    }

    @Test func `what no store exports`() throws {
        let magic = Array("KTV1".utf8)
        func row(_ kind: String, _ name: [UInt8], _ value: [UInt8]) -> [UInt8] {
            [UInt8(kind.utf8.count)] + Array(kind.utf8) + [UInt8(name.count)] + name
                + (0..<4).map { UInt8(truncatingIfNeeded: value.count >> (24 - 8 * $0)) } + value
        }
        #expect(refusal([]) == .malformed(offset: 0))
        #expect(refusal(Array("KTS2".utf8)) == .malformed(offset: 0))
        #expect(refusal(Array("KTV2".utf8)) == .unknownForm(0x32))
        #expect(refusal(magic) == nil)
        let good = row("session", [1], [1, 2, 3])
        #expect(refusal(magic + good + row("session", [1, 0], [])) == nil)
        for bad in [
            row("", [1], []), row("Session", [1], []), row("store", [1], []), row("abcdefghijklmnopq", [1], []),
            row("session", [], []), row("session", [1], [UInt8](repeating: 0, count: 1 << 20 + 1)),
            Array(row("session", [1], [1]).dropLast()), [1],
        ] {
            #expect(refusal(magic + bad) == .malformed(offset: 4))
        }
        for second in [row("session", [1], []), row("session", [0, 9], []), row("nonce", [9], [])] {
            #expect(refusal(magic + good + second) == .malformed(offset: 4 + good.count))
        }
        for cut in 5..<4 + good.count { #expect(refusal(Array((magic + good)[..<cut])) == .malformed(offset: 4)) }
    }

    @Test func `ten thousand mutations are refused, or are the values that they name`() throws {
        let original = try Vector.named("session-export-three", in: .sessionExport).expected.bytes("file")
        let random = SeededRandom(seed: 7)
        var (refused, read) = (0, 0)
        for _ in 0..<10_000 {
            var bytes = original
            for _ in 0...random.number(below: 2) where !bytes.isEmpty {
                let place = random.number(below: bytes.count)
                switch random.number(below: 3) {
                case 0: bytes[place] = random.bytes(1)[0]
                case 1: bytes.removeSubrange(place...)
                default: bytes.insert(random.bytes(1)[0], at: place)
                }
            }
            do throws(ExportError) {
                let values = try ExportedValues(bytes.span)
                #expect(copied(values) == bytes)
                read += 1
            } catch {
                refused += 1
            }
        }
        #expect(refused > 5000 && read > 500)
    }
}

extension Scratch {
    fileprivate func create(holding values: ExportedValues, id: String = "ABCD1234") throws {
        try OpenSessionStore.create(
            in: Directory.open(path, rule: .secret), messenger: "threema", id: id,
            key: SecureBytes(copying: Array(UInt8(0)..<32).span), holding: values)
    }
}
