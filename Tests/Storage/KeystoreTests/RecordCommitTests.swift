import AtomicFiles
import Glibc
import Keystore
import Testing
import VectorKit

/// Several records and the state of one identity change at once, whatever step a process dies at.
@Suite struct RecordCommitTests {
    private let scratch: Scratch
    private let keystore: OpenKeystore
    private let directory = "identities/threema/ABCD1234/"

    private static let old = Content(identity: [1], profile: [2], safe: [3], state: Array("{}".utf8))
    private static let new = Content(identity: [4], profile: [5, 5], safe: nil, state: Array(#"{"a":1}"#.utf8))
    private static let files = ["identity", "places/main/safe", "places/main/state.json", "profile"]

    /// What the records of an identity are read as.
    private struct Content: Equatable {
        var identity: [UInt8]?
        var profile: [UInt8]?
        var safe: [UInt8]?
        var state: [UInt8]?
    }

    init() throws {
        scratch = try Scratch()
        keystore = try OpenKeystore.openOrCreate(at: scratch.path)
        try keystore.add("ABCD1234") { new in
            try new.put("identity", [1])
            try new.put("profile", [2])
            try new.put(.safe, [3])
            try new.writeState(Array("{}".utf8), of: .main)
        }
    }

    private func read(_ keystore: OpenKeystore? = nil) throws -> Content {
        let records = try (keystore ?? self.keystore).identity("ABCD1234")
        let content = try Content(
            identity: records.read("identity")?.copied, profile: records.read("profile")?.copied,
            safe: records.read(.safe)?.copied, state: records.readState(of: .main)?.copied)
        let isThere = try records.contains(.safe)
        #expect(isThere == (content.safe != nil))
        return content
    }

    private func commit(_ identity: borrowing LockedIdentity) throws {
        var changes = identity.changes()
        changes.set("identity", [4].span)
        changes.set("profile", [9].span)
        changes.remove(.safe)
        changes.setState(Array(#"{"a":1}"#.utf8), of: .main)
        // The later one counts.
        changes.set("profile", [5, 5].span)
        try identity.commit(changes)
    }

    private func names() throws -> [String] {
        try scratch.files().filter { $0.hasPrefix(directory) }.map { String($0.dropFirst(directory.count)) }
    }

    private func restore(_ files: [String: [UInt8]]) throws {
        for name in try names() { try scratch.remove(directory + name) }
        for (name, content) in files { try scratch.put(directory + name, content) }
    }

    private func contents() throws -> [String: [UInt8]] {
        try Dictionary(uniqueKeysWithValues: names().map { ($0, try scratch.content(directory + $0)) })
    }

    /// The files before and after a commit, and the commit file that was between them: it stays where a change
    /// cannot be written out.
    private func stages() throws -> (before: [String: [UInt8]], commit: [UInt8], after: [String: [UInt8]]) {
        let before = try contents()
        try scratch.putDirectory(directory + ".identity.new")
        try commit(keystore.lockedIdentity("ABCD1234", wait: .zero))
        let commit = try scratch.content(directory + "commit")
        try scratch.remove(directory + ".identity.new")
        _ = try keystore.lockedIdentity("ABCD1234", wait: .zero)
        return (before, commit, try contents())
    }

    @Test func `all of it changes, and no commit file stays`() throws {
        let identity = try keystore.lockedIdentity("ABCD1234", wait: .zero)
        try commit(identity)
        let content = try read()
        #expect(content == Self.new)
        let names = try names()
        #expect(names == ["identity", "lock", "places/main/state.json", "profile"])
    }

    @Test func `what cannot be written out is read from the commit file`() throws {
        try scratch.putDirectory(directory + ".profile.new")
        let identity = try keystore.lockedIdentity("ABCD1234", wait: .zero)
        try commit(identity)
        let content = try read()
        #expect(content == Self.new)
        // A later write must not be gone over.
        #expect(throws: FileError.self) { try identity.put(.safe, [7]) }
        try scratch.remove(directory + ".profile.new")
        try identity.put(.safe, [7])
        let later = try read()
        #expect(later == Content(identity: [4], profile: [5, 5], safe: [7], state: Self.new.state))
    }

    @Test func `dead at any step, it is all made or not begun`() throws {
        let (before, commit, after) = try stages()
        try restore(before.merging([".commit.new": commit]) { $1 })
        var content = try read()
        #expect(content == Self.old)
        _ = try keystore.lockedIdentity("ABCD1234", wait: .zero)
        content = try read()
        #expect(content == Self.old)
        for count in 0...Self.files.count {
            // In whatever order they are written out.
            for order in [Self.files, Self.files.reversed()] {
                var files = before
                files["commit"] = commit
                for name in order.prefix(count) { files[name] = after[name] }
                try restore(files)
                content = try read(try LockedKeystore(at: scratch.path).unlock())
                #expect(content == Self.new)
                let unlocked = try contents()
                #expect(unlocked == files, "a reader wrote")
                _ = try keystore.lockedIdentity("ABCD1234", wait: .zero)
                content = try read()
                #expect(content == Self.new)
                let finished = try names()
                #expect(finished == ["identity", "lock", "places/main/state.json", "profile"])
            }
        }
    }

    @Test func `one change takes no commit file`() throws {
        let identity = try keystore.lockedIdentity("ABCD1234", wait: .zero)
        // Nothing can be written under this name.
        try scratch.putDirectory(directory + ".commit.new")
        var changes = identity.changes()
        changes.set(.safe, [8].span)
        try identity.commit(changes)
        try identity.commit(identity.changes())
        let content = try read()
        #expect(content == Content(identity: [1], profile: [2], safe: [8], state: Self.old.state))
        #expect(throws: FileError.self) { try commit(identity) }
        let unchanged = try read()
        #expect(unchanged == content)
    }

    @Test func `a commit that is too long changes nothing`() throws {
        let identity = try keystore.lockedIdentity("ABCD1234", wait: .zero)
        let before = try contents()
        let large = [UInt8](repeating: 7, count: 12 * 1024 * 1024)
        var changes = identity.changes()
        changes.set("profile", large.span)
        changes.set("shares", large.span)
        changes.set(.safe, large.span)
        do {
            try identity.commit(changes)
            Issue.record("committed")
        } catch FileError.tooLarge(_, let limit) {
            #expect(limit == 33 * 1024 * 1024)
        }
        let after = try contents()
        #expect(after == before)
    }

    @Test func `a record that could not be read again is not written`() throws {
        let identity = try keystore.lockedIdentity("ABCD1234", wait: .zero)
        let before = try contents()
        let large = [UInt8](repeating: 7, count: RecordName.maxContentBytes + 1)
        #expect(throws: FileError.self) { try identity.write("profile", large.span) }
        #expect(throws: FileError.self) { _ = try keystore.addPending("EFGH5678", large.span) }
        var changes = identity.changes()
        changes.set("profile", large.span)
        changes.set(.safe, [1].span)
        do {
            try identity.commit(changes)
            Issue.record("committed")
        } catch FileError.tooLarge(_, let limit) {
            #expect(limit == 16 * 1024 * 1024)
        }
        let after = try contents()
        #expect(after == before)
        try identity.write("profile", large.span.extracting(first: RecordName.maxContentBytes))
        let count = try identity.records.read("profile")?.count
        #expect(count == RecordName.maxContentBytes)
    }

    @Test func `any other bytes are refused, by readers and writers`() throws {
        let (before, commit, _) = try stages()
        let damaged = KeystoreError.damaged(record: "commit", owner: "ABCD1234")
        let cuts = stride(from: 0, to: commit.count, by: 3).map { Array(commit[..<$0]) }
        let flips = (0..<commit.count).map { place in
            var flipped = commit
            flipped[place] ^= 0x10
            return flipped
        }
        for content in cuts + flips + [commit + [0], Array("KTC2".utf8), before["identity"]!] {
            try restore(before.merging(["commit": content]) { $1 })
            #expect(throws: damaged) { _ = try keystore.identity("ABCD1234").read("identity") }
            #expect(throws: damaged) { _ = try keystore.identity("ABCD1234").contains("other") }
            #expect(throws: damaged) { _ = try keystore.identity("ABCD1234").readState(of: .main) }
            #expect(throws: damaged) { _ = try keystore.lockedIdentity("ABCD1234", wait: .zero) }
        }
        let files = try contents()
        #expect(files["identity"] == before["identity"], "something was written out")
    }

    @Test func `the commit of another identity or keystore is refused`() throws {
        let (_, commit, _) = try stages()
        try keystore.add("WXYZ9876") { try $0.put("identity", [1]) }
        try scratch.put("identities/threema/WXYZ9876/commit", commit)
        #expect(throws: KeystoreError.damaged(record: "commit", owner: "WXYZ9876")) {
            _ = try keystore.identity("WXYZ9876").read("identity")
        }
        let other = try Scratch()
        let otherKeystore = try OpenKeystore.openOrCreate(at: other.path)
        try otherKeystore.add("ABCD1234") { try $0.put("identity", [1]) }
        try other.put(directory + "commit", commit)
        #expect(throws: KeystoreError.damaged(record: "commit", owner: "ABCD1234")) {
            _ = try otherKeystore.identity("ABCD1234").read("identity")
        }
    }

    @Test func `a commit file over its limit, or one that is no plain file, is not read`() throws {
        let limit = 33 * 1024 * 1024
        try scratch.put(directory + "commit", [])
        try #require(truncate(scratch.at(directory + "commit"), limit + 1) == 0)
        #expect(throws: FileError.tooLarge(path: scratch.at(directory + "commit"), limit: limit)) {
            _ = try keystore.identity("ABCD1234").read("identity")
        }
        try scratch.remove(directory + "commit")
        try scratch.putLink(directory + "commit", to: "identity")
        #expect(throws: FileError.wrongKind(path: scratch.at(directory + "commit"))) {
            _ = try keystore.identity("ABCD1234").read("identity")
        }
    }

    @Test func `an identity with a bad commit file can be removed`() throws {
        try scratch.put(directory + "commit", [1, 2, 3])
        try keystore.remove("ABCD1234", wait: .zero)
        let ids = try keystore.identities()
        #expect(ids == [])
    }

    @Test func `the file is as it is described`() throws {
        let (_, commit, _) = try stages()
        let printed = try OtherImplementation.run("commit", scratch.path, "ABCD1234", commit.hex)
        #expect(printed == ["identity 04", "main/safe -", "main/state.json 7b2261223a317d", "profile 0505"])
    }
}
