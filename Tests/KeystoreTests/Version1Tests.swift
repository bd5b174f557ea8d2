import AtomicFiles
import Foundation
import KeyWrapping
import Keystore
import SecureMemory
import Testing
import VectorKit

/// Keystores of version 1, written by another implementation (`Tests/KeytoolTests/kit/version1.py`).
@Suite struct Version1Tests {
    private let scratch: Scratch
    private static let modules = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../KeytoolTests").standardized.path()

    private static let time: Int64 = 1_795_230_000_123
    private static let entry = "20261121T030000123Z-0001020304050607-replaced"
    private static let digest = (0..<32).map { UInt8($0) }

    init() throws {
        scratch = try Scratch()
        let keystore = try OpenKeystore.openOrCreate(at: scratch.path)
        for id in ["ABCD1234", "*GATEWAY"] as [Owner] {
            try keystore.add(id) { new in
                try new.put("identity", Array(id.id.utf8))
                try new.put("profile", [2])
                try new.put(.safe, [3])
                try new.writeState(Array("{}".utf8), of: .main)
            }
        }
        let locked = try keystore.lockedIdentity("ABCD1234", wait: .zero)
        let backup = HistoryBackup(
            [9, 9], digest: Self.digest, secret: SecureBytes(copying: [UInt8](repeating: 8, count: 64).span))
        try locked.keepHistory(backup, origin: .replaced, of: .main, at: Self.time)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_795_230_000.123)],
            ofItemAtPath: scratch.path + "/identities/threema/ABCD1234/lock")
        _ = try Program.output(
            of: "/usr/bin/env",
            ["PYTHONPATH=\(Self.modules)", "/usr/bin/python3", "-m", "kit.version1", scratch.path])
    }

    private func unlock() throws -> OpenKeystore { try LockedKeystore(at: scratch.path).unlock() }

    private static let oldFiles = [
        "identities/*GATEWAY/identity", "identities/*GATEWAY/profile", "identities/*GATEWAY/safe",
        "identities/*GATEWAY/state.json",
        "identities/ABCD1234/history/\(entry)", "identities/ABCD1234/identity", "identities/ABCD1234/lock",
        "identities/ABCD1234/profile", "identities/ABCD1234/safe", "identities/ABCD1234/state.json",
        "keystore", "lock", "master.key",
    ]

    private static func newFiles(_ id: String, lock: Bool = true, history: Bool = false) -> [String] {
        let names =
            ["identity"] + (lock ? ["lock"] : []) + (history ? ["places/main/history/\(entry)"] : [])
            + ["places/main/safe", "places/main/state.json", "profile"]
        return names.map { "identities/threema/\(id)/\($0)" }
    }

    private static let newFiles =
        newFiles("*GATEWAY") + newFiles("ABCD1234", history: true) + ["keystore", "lock", "master.key"]

    /// Everything that can be read of ABCD1234.
    private func expectAll(_ keystore: OpenKeystore, _ comment: Comment? = nil) throws {
        let owners = try keystore.identities()
        #expect(owners == ["*GATEWAY", "ABCD1234"], comment)
        let records = try keystore.identity("ABCD1234")
        let identity = try records.read("identity")?.copied
        #expect(identity == Array("ABCD1234".utf8), comment)
        let profile = try records.read("profile")?.copied
        #expect(profile == [2], comment)
        let safe = try records.read(.safe)?.copied
        #expect(safe == [3], comment)
        let hasSafe = try records.contains(.safe)
        #expect(hasSafe, comment)
        let state = try records.readState(of: .main)?.copied
        #expect(state == Array("{}".utf8), comment)
        let names = try records.history(of: .main).map(\.name)
        #expect(names == [Self.entry], comment)
        let bytes = try records.readHistory(Self.entry, of: .main).bytes
        #expect(bytes == [9, 9], comment)
        let time = try records.timeOfSuccess(of: .main)
        #expect(time == Self.time, comment)
    }

    @Test func `it is read as it is`() throws {
        let before = try scratch.files()
        #expect(before == Self.oldFiles)
        try expectAll(unlock())
        let other = try unlock().identity("ABCD1234").readState(of: try #require(PlaceName("nas")))?.copied
        #expect(other == nil)
        let after = try scratch.files()
        #expect(after == before)
        let listed = try LockedKeystore.owners(at: scratch.path)
        #expect(listed == ["*GATEWAY", "ABCD1234"])
    }

    @Test func `it is converted with everything`() throws {
        let keystore = try unlock()
        keystore.convertVersion1()
        let files = try scratch.files()
        #expect(files == Self.newFiles)
        // Both by those who had it open and by those who open it now.
        try expectAll(keystore)
        try expectAll(unlock())
        let lines = try OtherImplementation.run("read", scratch.path)
        #expect(lines.contains("ABCD1234 main/safe 03") && lines.contains("*GATEWAY identity 2a47415445574159"))
        let history = try OtherImplementation.run("history", scratch.path)
        #expect(
            history == [
                "ABCD1234 \(Self.entry) \(Self.time) \(Self.digest.hex) \(String(repeating: "08", count: 64)) 0909"
            ])
        let unread = try unlock().unreadOwners()
        #expect(unread == [])
    }

    @Test func `an identity that is changed is converted before`() throws {
        let keystore = try unlock()
        try keystore.lockedIdentity("ABCD1234", wait: .zero).put("profile", [7])
        let files = try scratch.files().filter { $0.contains("ABCD1234") }
        #expect(files == Self.newFiles("ABCD1234", history: true))
        let profile = try unlock().identity("ABCD1234").read("profile")?.copied
        #expect(profile == [7])
        let other = try unlock().identity("*GATEWAY").read("identity")?.copied
        #expect(other == Array("*GATEWAY".utf8))
        try keystore.add("NEWONE00") { try $0.put("identity", [1]) }
        let owners = try unlock().identities()
        #expect(owners == ["*GATEWAY", "ABCD1234", "NEWONE00"])
        #expect(throws: KeystoreError.exists("*GATEWAY")) { try keystore.add("*GATEWAY") { _ in } }
    }

    @Test func `one that another process holds is left, and the keystore stays what it is`() throws {
        let directory = try Directory.open(scratch.at("identities/ABCD1234"), rule: .secret)
        let held = try directory.lock("lock", wait: .zero)
        try unlock().convertVersion1()
        let files = try scratch.files()
        #expect(files.contains("identities/ABCD1234/profile") && !files.contains("identities/*GATEWAY/profile"))
        let isUnchanged = try unlock().identity("ABCD1234").read("profile")?.copied
        #expect(isUnchanged == [2])
        _ = consume held
        try unlock().convertVersion1()
        let converted = try scratch.files()
        #expect(converted.filter { !$0.hasSuffix("/lock") } == Self.newFiles.filter { !$0.hasSuffix("/lock") })
    }

    @Test func `dead at any step, the next run goes on`() throws {
        let old = try scratch.copied()
        try unlock().convertVersion1()
        let new = try scratch.copied()
        // The new directory is half made, or complete while the old one is whole, half removed or on its way out.
        let half = old.merging(new.filter { $0.key.hasSuffix("ABCD1234/identity") }.onTheWayIn) { $1 }
        let both = old.merging(new.filter { $0.key != "keystore" }) { $1 }
        let going = both.filter { !$0.key.hasPrefix("identities/ABCD1234/i") }
        let gone = both.filter { !$0.key.hasPrefix("identities/ABCD1234/") }
        let last = new.merging(["keystore": old["keystore"]!]) { $1 }
        for (step, files) in [half, both, going, gone, last].enumerated() {
            try scratch.restore(files)
            try expectAll(unlock(), "step \(step)")
            let keystore = try unlock()
            keystore.convertVersion1()
            try expectAll(unlock(), "step \(step), finished")
            let names = try scratch.files()
            #expect(names == Self.newFiles, "step \(step)")
            let unread = try unlock().unreadOwners()
            #expect(unread == [])
        }
    }

    @Test func `where both exist, the new one counts`() throws {
        let old = try scratch.copied()
        let keystore = try unlock()
        try keystore.lockedIdentity("ABCD1234", wait: .zero).put("profile", [7])
        for (name, content) in old where name.hasPrefix("identities/ABCD1234/") {
            try scratch.putWithDirectories(name, content)
        }
        let profile = try unlock().identity("ABCD1234").read("profile")?.copied
        #expect(profile == [7])
        try unlock().convertVersion1()
        let converted = try unlock().identity("ABCD1234").read("profile")?.copied
        #expect(converted == [7])
        // It holds what the new one does not: an earlier program may have written it.
        let files = try scratch.files()
        #expect(Set(files) == Set(Self.newFiles + Self.oldFiles.filter { $0.contains("ABCD1234") }))
        let unread = try unlock().unreadOwners()
        #expect(unread == ["ABCD1234"])
        try unlock().remove("ABCD1234", wait: .zero)
        let left = try scratch.files().filter { $0.contains("ABCD1234") }
        #expect(left == [])
    }

    @Test(arguments: ["identity", "profile", "safe", "state.json", "history/\(entry)", "new"])
    func `a converted directory that was changed since is left`(_ name: String) throws {
        let old = try scratch.copied()
        _ = try unlock().lockedIdentity("ABCD1234", wait: .zero)
        for (name, content) in old where name.hasPrefix("identities/ABCD1234/") {
            try scratch.putWithDirectories(name, content)
        }
        var content = old["identities/ABCD1234/" + name] ?? [1]
        content[content.count - 1] ^= 1
        try scratch.put("identities/ABCD1234/" + name, content)
        try unlock().convertVersion1()
        let left = try scratch.content("identities/ABCD1234/" + name)
        #expect(left == content)
        let isFinished = try unlock().unreadOwners()
        #expect(isFinished == ["ABCD1234"])
    }

    @Test func `an identity that is removed is removed in both forms`() throws {
        let old = try scratch.copied()
        _ = try unlock().lockedIdentity("ABCD1234", wait: .zero)
        for (name, content) in old where name.hasPrefix("identities/ABCD1234/") {
            try scratch.putWithDirectories(name, content)
        }
        try unlock().remove("ABCD1234", wait: .zero)
        let left = try scratch.files().filter { $0.contains("ABCD1234") }
        #expect(left == [])
        let owners = try unlock().identities()
        #expect(owners == ["*GATEWAY"])
    }

    @Test func `a copy under another name is not converted, and what is no ID is not looked at`() throws {
        for (name, content) in try scratch.copied() where name.hasPrefix("identities/ABCD1234/") {
            for copy in ["BACKUP01", "OLD_2026", "ABCD-234"] {
                try scratch.putWithDirectories(name.replacingOccurrences(of: "ABCD1234", with: copy), content)
            }
        }
        try scratch.put("identities/notes", [1])
        let before = try scratch.files().filter { $0.contains("BACKUP01/p") || $0.contains("2026/") }
        #expect(throws: KeystoreError.damaged(record: "identity", owner: "BACKUP01")) {
            _ = try unlock().lockedIdentity("BACKUP01", wait: .zero)
        }
        try unlock().convertVersion1()
        let owners = try unlock().identities()
        #expect(owners == ["*GATEWAY", "ABCD1234", "BACKUP01"])
        let after = try scratch.files().filter { $0.contains("BACKUP01/p") || $0.contains("2026/") }
        #expect(after == before && before.count == 7)
        try unlock().remove("BACKUP01", wait: .zero)
        try unlock().convertVersion1()
        let isFinished = try unlock().unreadOwners()
        #expect(isFinished == [])
        let record = try scratch.content("keystore")
        #expect(Array(record.prefix(4)) == Array("KTR2".utf8))
    }

    @Test func `what cannot be swept stops nothing`() throws {
        try scratch.putDirectory("identities/.OTHER000.new/a/b/c/d/e")
        try scratch.putDirectory("identities/threema/.OTHER000.new/a/b/c/d/e")
        try unlock().convertVersion1()
        try expectAll(unlock())
        let unread = try unlock().unreadOwners()
        #expect(unread == [])
        try unlock().remove("ABCD1234", wait: .zero)
        try unlock().add("ABCD1234") { try $0.put("identity", [1]) }
    }

    @Test func `what is restored after the conversion is reported and not read`() throws {
        let old = try scratch.copied()
        try unlock().convertVersion1()
        try unlock().remove("*GATEWAY", wait: .zero)
        for (name, content) in old where name.hasPrefix("identities/") { try scratch.putWithDirectories(name, content) }
        let keystore = try unlock()
        keystore.convertVersion1()
        let unread = try keystore.unreadOwners()
        #expect(unread == ["*GATEWAY", "ABCD1234"])
        let owners = try keystore.identities()
        #expect(owners == ["ABCD1234"])
        let error = KeystoreError.notConverted(path: scratch.at("identities/*GATEWAY"))
        #expect(throws: error) { _ = try keystore.identity("*GATEWAY") }
        #expect(throws: error) { _ = try keystore.lockedIdentity("*GATEWAY", wait: .zero) }
        #expect(throws: error) { _ = try keystore.remove("*GATEWAY", wait: .zero) }
        let left = try scratch.content("identities/*GATEWAY/profile")
        #expect(left == old["identities/*GATEWAY/profile"])
    }

    @Test func `damaged records stay damaged, and what is not ours is taken along`() throws {
        var record = try scratch.content("identities/ABCD1234/safe")
        record[40] ^= 1
        try scratch.put("identities/ABCD1234/safe", record)
        var entry = try scratch.content("identities/ABCD1234/history/\(Self.entry)")
        entry[60] ^= 1
        try scratch.put("identities/ABCD1234/history/\(Self.entry)", entry)
        try scratch.put("identities/ABCD1234/Notes.txt", [1, 2])
        try scratch.put("identities/ABCD1234/.hidden", [1, 2])
        let directory = "identities/threema/ABCD1234/"
        try unlock().convertVersion1()
        let files = try scratch.files()
        #expect(files == (Self.newFiles + [directory + "Notes.txt", directory + ".hidden"]).sorted())
        let keystore = try unlock()
        #expect(throws: KeystoreError.damaged(record: "safe", owner: "ABCD1234")) {
            _ = try keystore.identity("ABCD1234").read(.safe)
        }
        #expect(throws: KeystoreError.damaged(record: "history", owner: "ABCD1234")) {
            _ = try keystore.identity("ABCD1234").readHistory(Self.entry, of: .main)
        }
        let profile = try keystore.identity("ABCD1234").read("profile")?.copied
        #expect(profile == [2])
        let kept = try [scratch.content(directory + "places/main/safe"), scratch.content(directory + "Notes.txt")]
        #expect(kept == [record, [1, 2]])
    }

    @Test func `a directory that is not ours keeps its identity from being converted, and it can be removed`() throws {
        try scratch.putDirectory("identities/ABCD1234/other/inner")
        try unlock().convertVersion1()
        let files = try scratch.files().filter { $0.contains("ABCD1234") }
        #expect(files == Self.oldFiles.filter { $0.contains("ABCD1234") })
        try expectAll(unlock())
        #expect(throws: FileError.wrongKind(path: scratch.at("identities/ABCD1234/other"))) {
            _ = try unlock().lockedIdentity("ABCD1234", wait: .zero)
        }
        try unlock().remove("ABCD1234", wait: .zero)
        let owners = try unlock().identities()
        #expect(owners == ["*GATEWAY"])
    }

    @Test func `it is not empty`() throws {
        #expect(throws: KeystoreError.notEmpty(path: scratch.path)) {
            try OpenKeystore.adopt(MasterKey.random(), at: scratch.path)
        }
    }

    @Test func `a later version is said to be one`() throws {
        #expect(throws: KeystoreError.unknownVersion(3)) {
            _ = try OtherImplementation.run("version", scratch.path, "3")
            _ = try unlock()
        }
    }
}

extension [String: [UInt8]] {
    /// The files of ABCD1234 as they stand before its directory gets its name.
    fileprivate var onTheWayIn: Self {
        Dictionary(
            uniqueKeysWithValues: map {
                ($0.key.replacingOccurrences(of: "/ABCD1234/", with: "/.ABCD1234.new/"), $0.value)
            })
    }
}

extension Scratch {
    /// Every file in it.
    fileprivate func copied() throws -> [String: [UInt8]] {
        try Dictionary(uniqueKeysWithValues: files().map { ($0, try content($0)) })
    }

    fileprivate func putWithDirectories(_ name: String, _ content: [UInt8]) throws {
        try putDirectory((name as NSString).deletingLastPathComponent)
        try put(name, content)
    }

    /// Puts back what `copied` returned, and the time of the locks that it holds.
    fileprivate func restore(_ files: [String: [UInt8]]) throws {
        for name in try tree().reversed() { try remove(name) }
        for (name, content) in files {
            try putWithDirectories(name, content)
            guard name.hasSuffix("ABCD1234/lock") else { continue }
            let time = Date(timeIntervalSince1970: 1_795_230_000.123)
            try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: at(name))
        }
    }
}
