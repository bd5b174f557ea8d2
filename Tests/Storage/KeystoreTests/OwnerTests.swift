import AtomicFiles
import Keystore
import Testing

/// Names that lead to directories: what could lead elsewhere is none.
@Suite struct OwnerTests {
    @Test(arguments: [
        "", ".", "..", "../ABCD1234", "a/b", "/", "ABCD1234/", ".ABCD1234.new", "ABCD.1234", "ABCD 1234", "ABCD\u{0}",
        "ABCD\n1234", "ÄBCD1234", "A\u{301}BCD123", "$(id)", "-\u{7f}", String(repeating: "A", count: 65),
    ]) func `is no ID`(_ id: String) {
        #expect(Owner(messenger: "threema", id: id) == nil)
    }

    @Test(arguments: [
        "", ".", "..", "Threema", "THREEMA", "1threema", "-threema", "three/ma", "threema.", "thr\u{0}", "thré",
        String(repeating: "a", count: 33),
    ]) func `is no messenger`(_ messenger: String) {
        #expect(Owner(messenger: messenger, id: "ABCD1234") == nil)
    }

    @Test(arguments: ["", ".", "..", "Main", "main/", "a b", "a.b", "ä", String(repeating: "a", count: 33)])
    func `is no place`(_ name: String) {
        #expect(PlaceName(name) == nil)
    }

    @Test func `these are`() {
        for id in ["ABCD1234", "*GATEWAY", "0123456789abcdef", "a-b_c", "-", String(repeating: "A", count: 64)] {
            #expect(Owner(messenger: "threema", id: id)?.id == id)
        }
        for messenger in ["a", "threema", "proton-mainkey", "mtproto1", String(repeating: "a", count: 32)] {
            #expect(Owner(messenger: messenger, id: "1")?.messenger == messenger)
        }
        for name in ["main", "nas-2", "-", "1", String(repeating: "z", count: 32)] {
            #expect(PlaceName(name)?.text == name)
        }
    }

    @Test func `one ID of two messengers is two identities`() throws {
        let scratch = try Scratch()
        let keystore = try OpenKeystore.openOrCreate(at: scratch.path)
        let owners = try ["threema", "telegram"].map { try #require(Owner(messenger: $0, id: "ABCD1234")) }
        for (index, owner) in owners.enumerated() {
            try keystore.add(owner) { try $0.put("identity", [UInt8(index)]) }
        }
        let listed = try keystore.identities()
        #expect(listed == owners.reversed())
        for (index, owner) in owners.enumerated() {
            let record = try keystore.identity(owner).read("identity")?.copied
            #expect(record == [UInt8(index)])
        }
        // A record opens for its owner only.
        try scratch.put(
            "identities/telegram/ABCD1234/identity", scratch.content("identities/threema/ABCD1234/identity"))
        #expect(throws: KeystoreError.damaged(record: "identity", owner: owners[1])) {
            _ = try keystore.identity(owners[1]).read("identity")
        }
        try keystore.remove(owners[1], wait: .zero)
        let left = try keystore.identities()
        #expect(left == [owners[0]])
    }

    @Test func `a record opens at its place only`() throws {
        let scratch = try Scratch()
        let keystore = try OpenKeystore.openOrCreate(at: scratch.path)
        let nas = try #require(PlaceName("nas"))
        try keystore.add("ABCD1234") { new in
            try new.put(.safe, [1])
            try new.put(("safe" as RecordName).at(nas), [2])
        }
        let directory = "identities/threema/ABCD1234/"
        let main = try scratch.content(directory + "places/main/safe")
        for path in ["places/nas/safe", "safe"] { try scratch.put(directory + path, main) }
        let records = try keystore.identity("ABCD1234")
        let own = try records.read(.safe)?.copied
        #expect(own == [1])
        for name in [("safe" as RecordName).at(nas), "safe"] {
            do {
                _ = try records.read(name)
                Issue.record("opened")
            } catch KeystoreError.damaged(record: "safe", owner: "ABCD1234", place: nil) {}
        }
    }
}
