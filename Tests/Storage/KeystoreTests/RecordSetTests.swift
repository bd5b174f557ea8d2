import SecureMemory
import Testing
import VectorKit

@testable import Keystore

/// The records of an identity, listed and copied.
@Suite struct RecordSetTests {
    private let scratch: Scratch
    private let keystore: OpenKeystore
    private let second = PlaceName("second")!

    init() throws {
        scratch = try Scratch()
        keystore = try OpenKeystore.openOrCreate(at: scratch.path)
        try keystore.add("ABCD1234") { new in
            try new.put("profile", [2, 2])
            try new.put("identity", [1])
            try new.put(("safe" as RecordName).at(.main), [3, 3, 3])
            try new.writeState([4], of: .main)
            try new.setTimeOfSuccess(milliseconds: 1_900_000_000_000, of: .main)
        }
    }

    private var names: [String] {
        get throws {
            try keystore.identity("ABCD1234").recordNames().map { ($0.place.map { $0.text + "/" } ?? "") + $0.text }
        }
    }

    @Test func `names of records only`() throws {
        try scratch.put("identities/threema/ABCD1234/sessions.db", [1])
        try scratch.put("identities/threema/ABCD1234/notes.txt", [1])
        _ = try keystore.lockedIdentity("ABCD1234", wait: .zero)
        let found = try names
        #expect(found == ["identity", "profile", "main/safe"])
    }

    @Test func `an unfinished commit counts`() throws {
        let files = [
            FileChange(RecordFile("profile"), nil),
            FileChange(
                RecordFile(("safe" as RecordName).at(second)),
                try keystore.identity("ABCD1234").seal([9].span, ("safe" as RecordName).at(second))),
            FileChange(.state(of: second), [1]),
        ]
        let commit = RecordCommit.encode(files, of: "ABCD1234", key: keystore.masterKey)
        try scratch.put("identities/threema/ABCD1234/commit", commit)
        let found = try names
        #expect(found == ["identity", "main/safe", "second/safe"])
        let set = try RecordSet(of: keystore.identity("ABCD1234")) { _ in true }
        #expect(set.read(("safe" as RecordName).at(second))?.copied == [9])
        #expect(set.count(of: "profile") == nil)
    }

    @Test func `copies open records and name damaged ones`() throws {
        try scratch.put("identities/threema/ABCD1234/profile", [1, 2, 3])
        let set = try RecordSet(of: keystore.identity("ABCD1234")) { $0 != "identity" }
        #expect(set.names == [("safe" as RecordName).at(.main)])
        #expect(set.damaged == ["profile"])
        #expect(set.read(("safe" as RecordName).at(.main))?.copied == [3, 3, 3])
        #expect(set.count == 3)
    }

    @Test func `copies are equal if all of their records are`() throws {
        func copy() throws -> RecordSet { try RecordSet(of: keystore.identity("ABCD1234")) { _ in true } }
        let before = try copy()
        let again = try copy()
        #expect(before.isEqual(again))
        let bytes: [UInt8] = [3, 3, 3, 1, 2, 2]
        let made = RecordSet(
            of: "ABCD1234", ["identity": 3..<4, "profile": 4..<6, ("safe" as RecordName).at(.main): 0..<3],
            in: bytes.span)
        #expect(before.isEqual(made))
        try keystore.lockedIdentity("ABCD1234", wait: .zero).put("profile", [2, 3])
        let after = try copy()
        #expect(!before.isEqual(after))
        #expect(before.isEqual("identity", in: after) && !before.isEqual("profile", in: after))
        #expect(!before.isEqual("directory", in: after))
    }

    @Test func `as many files as a commit holds change at once`() throws {
        let held = try keystore.lockedIdentity("ABCD1234", wait: .zero)
        var changes = held.changes()
        for number in 0..<RecordChanges.limit {
            changes.set(("safe" as RecordName).at(PlaceName("p\(number)")!), [UInt8(number)].span)
        }
        try held.commit(changes)
        let found = try names
        #expect(found.count == RecordChanges.limit + 3)
    }
}
