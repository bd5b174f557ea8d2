import AtomicFiles
import Glibc
import Keystore
import Testing
import VectorKit

/// Records of an identity: written, read, moved.
@Suite struct IdentityRecordsTests {
    private let scratch: Scratch
    private let keystore: OpenKeystore

    init() throws {
        scratch = try Scratch()
        keystore = try OpenKeystore.openOrCreate(at: scratch.path)
        for id in ["ABCD1234", "WXYZ9876"] {
            try keystore.add(Owner(id)) { new in
                try new.put("identity", Array(id.utf8))
                try new.put("profile", [])
            }
        }
    }

    private func read(_ name: RecordName, of id: Owner = "ABCD1234") throws -> [UInt8]? {
        try keystore.identity(id).read(name)?.copied
    }

    @Test func `records come back, the empty one too`() throws {
        let records = try (read("identity"), read("profile"), read("identity", of: "WXYZ9876"))
        #expect(records.0 == Array("ABCD1234".utf8))
        #expect(records.1 == [])
        #expect(records.2 == Array("WXYZ9876".utf8))
    }

    @Test func `a record that is not there is none`() throws {
        let record = try read("safe")
        #expect(record == nil)
    }

    @Test func `an identity that is not there is named`() throws {
        let absent = KeystoreError.noIdentity("NOBODY00")
        #expect(throws: absent) { _ = try keystore.identity("NOBODY00") }
        #expect(throws: absent) { _ = try keystore.lockedIdentity("NOBODY00", wait: .zero) }
        let other = try Scratch()
        let empty = try OpenKeystore.openOrCreate(at: other.path)
        #expect(throws: absent) { _ = try empty.identity("NOBODY00") }
        let ids = try empty.identities()
        #expect(ids == [])
    }

    @Test func `a record is replaced and removed under the lock`() throws {
        let identity = try keystore.lockedIdentity("ABCD1234", wait: .zero)
        try identity.put("profile", [7, 8])
        let replaced = try read("profile")
        #expect(replaced == [7, 8])
        try identity.remove("profile")
        try identity.remove("profile")
        let removed = try read("profile")
        #expect(removed == nil)
    }

    @Test func `a large record comes back whole`() throws {
        let large = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let identity = try keystore.lockedIdentity("ABCD1234", wait: .zero)
        try identity.put("profile", large)
        let isSame = try read("profile") == large
        #expect(isSame)
        let sealed = try scratch.content("identities/threema/ABCD1234/profile")
        #expect(sealed.count == large.count + 4 + 24 + 16)
    }

    @Test func `the same content is never sealed the same way twice`() throws {
        let identity = try keystore.lockedIdentity("ABCD1234", wait: .zero)
        var seen: Set<[UInt8]> = []
        for _ in 0..<20 {
            try identity.put("profile", [1])
            let file = try scratch.content("identities/threema/ABCD1234/profile")
            seen.insert(Array(file[4..<28]))
        }
        #expect(seen.count == 20)
    }

    @Test func `a record moved to another name or ID does not open`() throws {
        let record = try scratch.content("identities/threema/ABCD1234/identity")
        try scratch.put("identities/threema/ABCD1234/safe", record)
        #expect(throws: KeystoreError.damaged(record: "safe", owner: "ABCD1234")) { try read("safe") }
        try scratch.put("identities/threema/WXYZ9876/identity", record)
        #expect(throws: KeystoreError.damaged(record: "identity", owner: "WXYZ9876")) {
            try read("identity", of: "WXYZ9876")
        }
        try scratch.put("identities/threema/ABCD1234/keystore", scratch.content("keystore"))
        #expect(throws: KeystoreError.damaged(record: "keystore", owner: "ABCD1234")) { try read("keystore") }
    }

    @Test func `a whole directory renamed to another ID does not open`() throws {
        try #require(rename(scratch.at("identities/threema/ABCD1234"), scratch.at("identities/threema/EVIL0000")) == 0)
        #expect(throws: KeystoreError.damaged(record: "identity", owner: "EVIL0000")) {
            try read("identity", of: "EVIL0000")
        }
    }

    @Test func `a record over 16 MiB is not read`() throws {
        let limit = 16 * 1024 * 1024
        try #require(truncate(scratch.at("identities/threema/ABCD1234/profile"), limit + 1) == 0)
        #expect(throws: FileError.tooLarge(path: scratch.at("identities/threema/ABCD1234/profile"), limit: limit)) {
            try read("profile")
        }
    }

    @Test func `keys of different purposes differ`() {
        let keys = (["state", "other", "identity"] as [RecordName]).map { keystore.digestKey($0).copied }
        #expect(Set(keys).count == 3)
        #expect(keystore.digestKey("state").copied == keys[0])
    }

    @Test func `a second one waits for the lock of an identity, not for that of another`() throws {
        let first = try keystore.lockedIdentity("ABCD1234", wait: .zero)
        #expect(throws: FileError.locked(path: scratch.at("identities/threema/ABCD1234/lock"))) {
            _ = try keystore.lockedIdentity("ABCD1234", wait: .milliseconds(100))
        }
        _ = try keystore.lockedIdentity("WXYZ9876", wait: .zero)
        // Reading needs no lock.
        let record = try read("identity")
        #expect(record != nil)
        _ = consume first
        _ = try keystore.lockedIdentity("ABCD1234", wait: .zero)
    }

    // MARK: State

    @Test func `the state is a plain file that comes back`() throws {
        let none = try keystore.identity("ABCD1234").readState(of: .main)?.copied
        #expect(none == nil)
        let identity = try keystore.lockedIdentity("ABCD1234", wait: .zero)
        try identity.writeState(Array("{}".utf8), of: .main)
        let file = try scratch.content("identities/threema/ABCD1234/places/main/state.json")
        #expect(file == Array("{}".utf8))
        let state = try identity.records.readState(of: .main)
        #expect(state?.copied == file)
        try identity.removeState(of: .main)
        try identity.removeState(of: .main)
        let removed = try identity.records.readState(of: .main)?.copied
        #expect(removed == nil)
    }

    @Test func `a state that is too long counts as none, a trap does not`() throws {
        let name = "identities/threema/ABCD1234/places/main/state.json"
        try scratch.putDirectory("identities/threema/ABCD1234/places/main")
        try scratch.put(name, [UInt8](repeating: 0x20, count: 1024 * 1024))
        let longest = try keystore.identity("ABCD1234").readState(of: .main)?.copied
        #expect(longest?.count == 1024 * 1024)
        try scratch.put(name, [UInt8](repeating: 0x20, count: 1024 * 1024 + 1))
        let isTooLong = try keystore.identity("ABCD1234").readState(of: .main)?.copied == nil
        #expect(isTooLong)
        try scratch.setMode(0o644, of: name)
        #expect(throws: FileError.exposed(path: scratch.at(name), mode: 0o644)) {
            _ = try keystore.identity("ABCD1234").readState(of: .main)
        }
        try scratch.remove(name)
        try scratch.putLink(name, to: "identity")
        #expect(throws: FileError.wrongKind(path: scratch.at(name))) {
            _ = try keystore.identity("ABCD1234").readState(of: .main)
        }
    }
}
