import AtomicFiles
import Glibc
import KeyWrapping
import Keystore
import Testing
import VectorKit

@Suite struct KeystoreOpeningTests {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    private func put(_ id: Owner) throws {
        try OpenKeystore.openOrCreate(at: scratch.path).add(id) { try $0.put("identity", [1, 2, 3]) }
    }

    @Test func `a new keystore has its layout and modes`() throws {
        let keystore = try OpenKeystore.openOrCreate(at: scratch.path)
        try keystore.add("ABCD1234") { new in
            try new.put("identity", [1])
            try new.writeState([2], of: .main)
        }
        _ = try keystore.lockedIdentity("ABCD1234", wait: .zero)
        let tree = try scratch.tree()
        #expect(
            tree == [
                "identities", "identities/threema", "identities/threema/ABCD1234",
                "identities/threema/ABCD1234/identity", "identities/threema/ABCD1234/lock",
                "identities/threema/ABCD1234/places", "identities/threema/ABCD1234/places/main",
                "identities/threema/ABCD1234/places/main/state.json", "keystore", "lock", "master.key",
            ])
        let files = try scratch.files()
        for name in tree + [""] {
            let mode = try scratch.mode(of: name)
            #expect(mode == (files.contains(name) ? 0o600 : 0o700), "\(name)")
        }
    }

    @Test func `the same key opens it again`() throws {
        try put("ABCD1234")
        let again = try LockedKeystore(at: scratch.path).unlock().identity("ABCD1234").read("identity")
        #expect(again?.copied == [1, 2, 3])
        let made = try OpenKeystore.openOrCreate(at: scratch.path).identity("ABCD1234").read("identity")
        #expect(made?.copied == [1, 2, 3])
    }

    @Test func `a keystore of a later version is not called damaged`() throws {
        try put("ABCD1234")
        try scratch.put("keystore", Array("KTR3".utf8) + [UInt8](repeating: 0, count: 57))
        #expect(throws: KeystoreError.unknownVersion(3)) { _ = try LockedKeystore(at: scratch.path) }
        #expect(throws: KeystoreError.unknownVersion(3)) { _ = try OpenKeystore.openOrCreate(at: scratch.path) }
    }

    @Test func `one of version 1 is refused before its key is used, and nothing is changed`() throws {
        try put("ABCD1234")
        try scratch.put("keystore", Array("KTR1".utf8) + [UInt8](repeating: 0, count: 57))
        try scratch.put(".master.key.new", [1])
        let version1 = KeystoreError.version1(path: scratch.path)
        for masterKey in [try scratch.content("master.key"), nil] {
            if masterKey == nil { try scratch.remove("master.key") }
            let before = try scratch.tree()
            #expect(throws: version1) { _ = try LockedKeystore(at: scratch.path) }
            #expect(throws: version1) { _ = try OpenKeystore.openOrCreate(at: scratch.path) }
            #expect(throws: version1) { try OpenKeystore.adopt(MasterKey.random(), at: scratch.path) }
            #expect(try scratch.tree() == before)
        }
    }

    @Test func `a later version is said to be one`() throws {
        try put("ABCD1234")
        _ = try OtherImplementation.run("version", scratch.path, "3")
        #expect(throws: KeystoreError.unknownVersion(3)) { _ = try LockedKeystore(at: scratch.path).unlock() }
    }

    @Test func `two keystores have two keys`() throws {
        let other = try Scratch()
        let keys = try [scratch, other].map {
            try OpenKeystore.openOrCreate(at: $0.path).digestKey("state").copied
        }
        #expect(keys[0] != keys[1])
        #expect(keys[0].count == 32)
    }

    @Test func `a keystore that is not there, or empty, is absent`() throws {
        let absent = KeystoreError.absent(path: scratch.path)
        #expect(throws: absent) { try LockedKeystore(at: scratch.path).unlock() }
        try scratch.putDirectory("")
        #expect(throws: absent) { try LockedKeystore(at: scratch.path).unlock() }
        // What a first run leaves that was killed before its last step.
        try scratch.put("lock", [])
        try scratch.put("keystore", Array("KTR2".utf8) + [1, 2, 3])
        try scratch.putDirectory("identities/threema/.ABCD1234.new")
        #expect(throws: absent) { try LockedKeystore(at: scratch.path).unlock() }
        try put("ABCD1234")
        let ids = try LockedKeystore(at: scratch.path).unlock().identities()
        #expect(ids == ["ABCD1234"])
    }

    @Test func `somebody else's file named keystore is not replaced`() throws {
        for content in [[], [1, 2, 3], Array("KTR".utf8)] as [[UInt8]] {
            let scratch = try Scratch()
            try scratch.putDirectory("")
            try scratch.put("keystore", content)
            #expect(throws: KeystoreError.foreign(path: scratch.at("keystore"))) {
                try OpenKeystore.openOrCreate(at: scratch.path)
            }
            let found = try scratch.content("keystore")
            #expect(found == content)
        }
    }

    @Test func `asking for a keystore makes nothing`() throws {
        try scratch.putDirectory("")
        _ = try? LockedKeystore(at: scratch.path).unlock()
        let tree = try scratch.tree()
        #expect(tree == [])
    }

    @Test func `identities without their master key are never given a new one`() throws {
        try put("ABCD1234")
        try scratch.remove("master.key")
        let before = try scratch.tree()
        let missing = KeystoreError.masterKeyMissing(path: scratch.path)
        #expect(throws: missing) { try LockedKeystore(at: scratch.path).unlock() }
        #expect(throws: missing) { try OpenKeystore.openOrCreate(at: scratch.path) }
        let tree = try scratch.tree()
        #expect(tree == before)
    }

    @Test func `a master key without its proof, or of another keystore, is damaged`() throws {
        try put("ABCD1234")
        let other = try Scratch()
        _ = try OpenKeystore.openOrCreate(at: other.path)
        let damaged = KeystoreError.damaged(record: "keystore", owner: nil)
        let own = try (key: scratch.content("master.key"), record: scratch.content("keystore"))

        try scratch.put("master.key", other.content("master.key"))
        #expect(throws: damaged) { try LockedKeystore(at: scratch.path).unlock() }
        #expect(throws: damaged) { try OpenKeystore.openOrCreate(at: scratch.path) }
        try scratch.put("master.key", own.key)
        try scratch.put("keystore", other.content("keystore"))
        #expect(throws: damaged) { try LockedKeystore(at: scratch.path).unlock() }
        try scratch.remove("keystore")
        #expect(throws: damaged) { try LockedKeystore(at: scratch.path).unlock() }
        #expect(throws: damaged) { try OpenKeystore.openOrCreate(at: scratch.path) }
        try scratch.put("keystore", own.record)
        _ = try LockedKeystore(at: scratch.path).unlock()
    }

    @Test(arguments: ["", "master.key", "keystore"]) func `what others may read is refused`(_ name: String) throws {
        try put("ABCD1234")
        let mode: mode_t = name.isEmpty ? 0o750 : 0o640
        try scratch.setMode(mode, of: name)
        let exposed = FileError.exposed(path: scratch.at(name), mode: mode)
        #expect(throws: exposed) { try LockedKeystore(at: scratch.path).unlock() }
        #expect(throws: exposed) { try OpenKeystore.openOrCreate(at: scratch.path) }
    }

    @Test(arguments: ["identities", "identities/threema/ABCD1234", "identities/threema/ABCD1234/identity"])
    func `what others may read in it is refused`(_ name: String) throws {
        try put("ABCD1234")
        try scratch.setMode(0o705, of: name)
        let keystore = try LockedKeystore(at: scratch.path).unlock()
        #expect(throws: FileError.exposed(path: scratch.at(name), mode: 0o705)) {
            _ = try keystore.identity("ABCD1234").read("identity")
        }
    }

    @Test(arguments: [
        "master.key", "keystore", "identities", "identities/threema/ABCD1234", "identities/threema/ABCD1234/identity",
    ])
    func `nothing in it may be a link`(_ name: String) throws {
        try put("ABCD1234")
        try #require(rename(scratch.at(name), scratch.at("moved")) == 0)
        try scratch.putLink(name, to: scratch.at("moved"))
        #expect(throws: FileError.wrongKind(path: scratch.at(name))) {
            _ = try LockedKeystore(at: scratch.path).unlock().identity("ABCD1234").read("identity")
        }
    }

    @Test func `the directories above it are made`() throws {
        let path = scratch.at("a/b/c")
        _ = try OpenKeystore.openOrCreate(at: path)
        _ = try LockedKeystore(at: path).unlock()
    }
}
