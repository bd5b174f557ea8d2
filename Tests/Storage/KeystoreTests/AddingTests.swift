import Foundation
import Keystore
import SecureMemory
import Testing
import VectorKit

/// An identity is added with all of its records, or not at all.
@Suite struct AddingTests {
    private struct Refused: Error {}

    private let scratch: Scratch
    private let keystore: OpenKeystore

    init() throws {
        scratch = try Scratch()
        keystore = try OpenKeystore.openOrCreate(at: scratch.path)
    }

    @Test func `nobody sees it before it is whole`() throws {
        try keystore.add("ABCD1234") { new in
            try new.put("identity", [1])
            let ids = try keystore.identities()
            #expect(ids == [])
            #expect(throws: KeystoreError.noIdentity("ABCD1234")) { _ = try keystore.identity("ABCD1234") }
        }
        let ids = try keystore.identities()
        #expect(ids == ["ABCD1234"])
    }

    @Test func `a filling that fails leaves nothing`() throws {
        #expect(throws: Refused.self) {
            try keystore.add("ABCD1234") { new in
                try new.put("identity", [1])
                try new.writeState([2], of: .main)
                throw Refused()
            }
        }
        let tree = try scratch.tree()
        #expect(tree == ["identities", "identities/threema", "keystore", "lock", "master.key"])
        try keystore.add("ABCD1234") { try $0.put("identity", [3]) }
        let record = try keystore.identity("ABCD1234").read("identity")
        #expect(record?.copied == [3])
    }

    @Test func `a keystore that was moved away is not written to`() throws {
        try keystore.add("ABCD1234") { try $0.put("identity", [1]) }
        let before = try scratch.tree()
        let (path, away) = (scratch.path, scratch.path + "-away")
        let moved = KeystoreError.moved(path: path)
        let passphrase = SecureBytes(copying: Array("passphrase".utf8).span)
        for isReplaced in [false, true] {
            try FileManager.default.moveItem(atPath: path, toPath: away)
            if isReplaced { try FileManager.default.copyItem(atPath: away, toPath: path) }
            #expect(throws: moved) { try keystore.add("ZZZZ9999") { try $0.put("identity", [2]) } }
            #expect(throws: moved) { try keystore.remove("ABCD1234", wait: .zero) }
            #expect(throws: moved) { _ = try keystore.lockedIdentity("ABCD1234", wait: .zero) }
            #expect(throws: moved) { try keystore.protect(by: passphrase, .scrypt) }
            if isReplaced { try FileManager.default.removeItem(atPath: path) }
            try FileManager.default.moveItem(atPath: away, toPath: path)
        }
        let after = try scratch.tree()
        #expect(after.filter { !$0.hasSuffix("/lock") } == before.filter { !$0.hasSuffix("/lock") })
        try keystore.add("ZZZZ9999") { try $0.put("identity", [2]) }
    }

    @Test func `one that is there stays as it is`() throws {
        try keystore.add("ABCD1234") { try $0.put("identity", [1]) }
        let before = try scratch.tree()
        #expect(throws: KeystoreError.exists("ABCD1234")) {
            try keystore.add("ABCD1234") { _ in Issue.record("asked for records that nobody wants") }
        }
        let tree = try scratch.tree()
        #expect(tree == before)
        let record = try keystore.identity("ABCD1234").read("identity")
        #expect(record?.copied == [1])
    }

    @Test func `what killed processes left is swept`() throws {
        try scratch.putDirectory("identities/threema/.ABCD1234.new")
        try scratch.put("identities/threema/.ABCD1234.new/profile", [9])
        try scratch.put("identities/threema/.ABCD1234.new/.identity.new", [9])
        try scratch.putDirectory("identities/threema/.OTHER000.new")
        let before = try keystore.identities()
        #expect(before == [])
        try keystore.add("ABCD1234") { try $0.put("identity", [1]) }
        let names = try scratch.tree().filter { $0.hasPrefix("identities/threema/") }
        #expect(names == ["identities/threema/ABCD1234", "identities/threema/ABCD1234/identity"])
        let after = try keystore.identities()
        #expect(after == ["ABCD1234"])
    }

    @Test func `identities come in byte order`() throws {
        for id in ["ZZZZ0000", "0000ZZZZ", "*GATEWAY", "AAAA0000"] as [Owner] {
            try keystore.add(id) { try $0.put("identity", [1]) }
        }
        let ids = try keystore.identities()
        #expect(ids == ["*GATEWAY", "0000ZZZZ", "AAAA0000", "ZZZZ0000"])
    }
}
