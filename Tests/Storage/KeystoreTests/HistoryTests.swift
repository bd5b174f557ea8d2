import AtomicFiles
import Glibc
import Keystore
import SecureMemory
import Testing
import VectorKit

/// Earlier backups of an identity: kept, listed, read, thinned out, and gone with the identity.
@Suite struct HistoryTests {
    private let scratch: Scratch
    private let keystore: OpenKeystore
    private let directory = "identities/threema/ABCD1234/places/main/history/"
    /// 2026-11-21T03:00:00.123Z
    private static let noon: Int64 = 1_795_230_000_123
    private static let first = [UInt8](0..<32)
    /// The same beginning, as anybody may make one who tries often enough.
    private static let alike = Array(first[..<8]) + [UInt8](repeating: 0xff, count: 24)
    private static let second = [UInt8](repeating: 0xab, count: 32)

    init() throws {
        scratch = try Scratch()
        keystore = try OpenKeystore.openOrCreate(at: scratch.path)
        try keystore.add("ABCD1234") { try $0.put("identity", [1]) }
    }

    private static let secret = [UInt8](repeating: 0x77, count: 64)

    private func keep(
        _ bytes: [UInt8], _ digest: [UInt8], at time: Int64 = noon, _ origin: HistoryEntry.Origin = .replaced
    ) throws {
        let backup = HistoryBackup(bytes, digest: digest, secret: SecureBytes(copying: Self.secret.span))
        try keystore.lockedIdentity("ABCD1234", wait: .zero).keepHistory(backup, origin: origin, of: .main, at: time)
    }

    private func history() throws -> [HistoryEntry] { try keystore.identity("ABCD1234").history(of: .main) }

    private func read(_ name: String) throws -> [UInt8] {
        try keystore.identity("ABCD1234").readHistory(name, of: .main).bytes
    }

    private func files() throws -> [String] {
        try scratch.tree().filter { $0.hasPrefix(directory) }.map { String($0.dropFirst(directory.count)) }
    }

    @Test func `nothing is kept at first`() throws {
        let history = try history()
        #expect(history == [])
        #expect(
            throws: FileError.missing(
                path: scratch.at("identities/threema/ABCD1234/history/20261121T030000123Z-0001020304050607-replaced"))
        ) {
            _ = try read("20261121T030000123Z-0001020304050607-replaced")
        }
    }

    @Test func `bytes come back under their time and digest, the newest first`() throws {
        try keep([1, 2, 3], Self.first)
        try keep([], Self.second, at: Self.noon + 1)
        let entries = try history()
        let expected = [
            HistoryEntry(
                name: "20261121T030000124Z-abababababababab-replaced", milliseconds: Self.noon + 1,
                digestPrefix: Array(Self.second[..<8]), count: 0),
            HistoryEntry(
                name: "20261121T030000123Z-0001020304050607-replaced", milliseconds: Self.noon,
                digestPrefix: Array(Self.first[..<8]), count: 3),
        ]
        #expect(entries == expected)
        let contents = try expected.map { try read($0.name) }
        #expect(contents == [[], [1, 2, 3]])
        let modes = try ["", expected[0].name].map { try scratch.mode(of: directory + $0) }
        #expect(modes == [0o700, 0o600])
    }

    @Test func `the same digest is kept once, under its last time`() throws {
        try keep([1], Self.first)
        try keep([1], Self.first)
        var names = try files()
        #expect(names == ["20261121T030000123Z-0001020304050607-replaced"])
        try keep([1], Self.first, at: Self.noon + 1000)
        names = try files()
        #expect(names == ["20261121T030001123Z-0001020304050607-replaced"])
        // Only the beginning is the same: that is another one.
        try keep([2], Self.alike, at: Self.noon + 2000)
        let contents = try history().map { try read($0.name) }
        #expect(contents == [[2], [1]])
    }

    @Test func `an entry of version 1 has no secret`() throws {
        try keep([1], Self.first)
        let name = "20261121T030000123Z-0001020304050607"
        _ = try OtherImplementation.run(
            "history_of_version_1", scratch.path, "ABCD1234", name, "\(Self.noon)", Self.first.hex, "0203")
        let entries = try history()
        #expect(entries.map(\.name) == [name + "-replaced", name])
        #expect(entries.map(\.count) == [1, 2])
        #expect(entries.map(\.origin) == [.replaced, .replaced])
        let backup = try keystore.identity("ABCD1234").readHistory(name, of: .main)
        #expect(backup.bytes == [2, 3])
        let secret = backup.secret.count
        #expect(secret == 0)
        // It is stored again under a name of version 2, once.
        try keep([2, 3], Self.first, at: Self.noon + 1)
        let names = try history().map(\.name)
        #expect(names == ["20261121T030000124Z-0001020304050607-replaced"])
    }

    @Test func `a mirrored backup that is replaced has both origins`() throws {
        try keep([1], Self.first, .mirrored)
        try keep([2], Self.second)
        try keep([1], Self.first, at: Self.noon + 1)
        let entries = try history()
        #expect(entries.map(\.origin) == [.both, .replaced])
        #expect(entries[0].name == "20261121T030000124Z-0001020304050607-both")
        let backup = try keystore.identity("ABCD1234").readHistory(entries[0].name, of: .main)
        let secret = backup.secret.revealBytes()
        #expect(secret == Self.secret)
        #expect(backup.digest == Self.first)
    }

    @Test func `an entry that is damaged is kept beside the new one`() throws {
        try keep([1], Self.first)
        let name = "20261121T030000123Z-0001020304050607-replaced"
        var file = try scratch.content(directory + name)
        file[40] ^= 1
        try scratch.put(directory + name, file)
        try keep([1], Self.first, at: Self.noon + 1)
        let names = try history().map(\.name)
        #expect(names == ["20261121T030000124Z-0001020304050607-replaced", name])
        #expect(throws: KeystoreError.damaged(record: "history", owner: "ABCD1234")) { _ = try read(name) }
    }

    @Test func `other names are skipped, and none leads out of the directory`() throws {
        try keep([1], Self.first)
        let names = [
            "notes", "20261121T030000123Z-0001020304050607-other", "20261121T030000123Z-0001020304050607-",
            "20261121T030000123Z-0001020304050607-replaced-", "20261121T030000123Z-000102030405060-replaced",
            "20261121T030000123Z-00010203040506070",
            "20261121T030000123Z-000102030405060G", "20261121T030000123Z-000102030405060A",
            "20261121T0300001233Z-0001020304050607", "20261321T030000123Z-0001020304050607-replaced",
            "20260230T030000123Z-0001020304050607-replaced", "20261121T240000123Z-0001020304050607-replaced",
            "20261121 030000123Z-0001020304050607", ".20261121T030000123Z-0001020304050607-replaced.new",
        ]
        for name in names { try scratch.put(directory + name, [UInt8](repeating: 0, count: 200)) }
        // The right name on what is no entry: a directory, a link.
        try scratch.putDirectory(directory + "20261121T030000126Z-0001020304050607-replaced")
        try scratch.putLink(
            directory + "20261121T030000127Z-0001020304050607-replaced",
            to: "20261121T030000123Z-0001020304050607-replaced")
        let listed = try history().map(\.name)
        #expect(listed == ["20261121T030000123Z-0001020304050607-replaced"])
        for name in names + ["../identity", "", "."] {
            #expect(throws: FileError.self) { _ = try read(name) }
        }
    }

    @Test func `an entry that was cut short is listed, and does not open`() throws {
        try keep([1], Self.first)
        let name = "20261121T030000125Z-0001020304050607-replaced"
        for count in [0, 1, 100, 148] {
            try scratch.put(directory + name, [UInt8](repeating: 0, count: count))
            let entries = try history()
            #expect(entries.map(\.name) == [name, "20261121T030000123Z-0001020304050607-replaced"])
            #expect(entries[0].count == 0)
            #expect(throws: KeystoreError.damaged(record: "history", owner: "ABCD1234")) { _ = try read(name) }
        }
    }

    @Test func `an entry under another name, or of another identity, does not open`() throws {
        try keep([1], Self.first)
        try keystore.add("WXYZ9876") { try $0.put("identity", [1]) }
        try scratch.putDirectory("identities/threema/WXYZ9876/places/main/history")
        let name = "20261121T030000123Z-0001020304050607-replaced"
        let file = try scratch.content(directory + name)
        try scratch.put("identities/threema/WXYZ9876/places/main/history/" + name, file)
        #expect(throws: KeystoreError.damaged(record: "history", owner: "WXYZ9876")) {
            _ = try keystore.identity("WXYZ9876").readHistory(name, of: .main)
        }
        let other = "20261121T030000124Z-0001020304050607-replaced"
        try scratch.put(directory + other, file)
        #expect(throws: KeystoreError.damaged(record: "history", owner: "ABCD1234")) { _ = try read(other) }
        // Nor as the record of that name.
        try scratch.put("identities/threema/ABCD1234/profile", file)
        #expect(throws: KeystoreError.damaged(record: "profile", owner: "ABCD1234")) {
            _ = try keystore.identity("ABCD1234").read("profile")
        }
    }

    @Test func `what is too long is refused before anything is written`() throws {
        #expect(throws: FileError.self) { try keep([UInt8](repeating: 0, count: 16 * 1024 * 1024), Self.first) }
        let names = try files()
        #expect(names == [])
    }

    @Test func `what a killed process left goes with the next lock`() throws {
        try keep([1], Self.first)
        try scratch.put(directory + ".20261121T030000124Z-0001020304050607-replaced.new", [1])
        _ = try keystore.lockedIdentity("ABCD1234", wait: .zero)
        let names = try files()
        #expect(names == ["20261121T030000123Z-0001020304050607-replaced"])
    }

    @Test func `it goes with its identity`() throws {
        try keep([1], Self.first)
        try keystore.remove("ABCD1234", wait: .zero)
        let tree = try scratch.tree()
        #expect(tree == ["identities", "identities/threema", "keystore", "lock", "master.key"])
        // Half removed, it is swept.
        try scratch.putDirectory("identities/threema/.WXYZ9876.new/places/main/history")
        try scratch.put(
            "identities/threema/.WXYZ9876.new/places/main/history/20261121T030000123Z-0001020304050607-replaced", [1])
        _ = try LockedKeystore(at: scratch.path)
        let swept = try scratch.tree()
        #expect(swept == ["identities", "identities/threema", "keystore", "lock", "master.key"])
    }

    @Test func `its files are looked at where the others are`() throws {
        try keep([1], Self.first)
        var errors = try LockedKeystore(at: scratch.path).permissionProblems()
        #expect(errors == [])
        let name = directory + "20261121T030000123Z-0001020304050607-replaced"
        try scratch.setMode(0o640, of: name)
        errors = try LockedKeystore(at: scratch.path).permissionProblems()
        #expect(errors == [.exposed(path: scratch.at(name), mode: 0o640)])
    }

    @Test func `the files are as they are described`() throws {
        try keep([1, 2, 3], Self.first)
        let printed = try OtherImplementation.run("history", scratch.path)
        #expect(
            printed == [
                "ABCD1234 20261121T030000123Z-0001020304050607-replaced 1795230000123 \(Self.first.hex) \(Self.secret.hex) 010203"
            ])
    }
}
