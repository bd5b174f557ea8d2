import AtomicFiles
import Foundation
import Keystore
import SecureMemory
import SessionStore
import Tar
import Testing

@testable import MessengerKeeping

private let first = Owner(messenger: "carrier", id: "ONE")!
private let second = Owner(messenger: "carrier", id: "TWO")!

/// Sessions that a program on the libraries has stored, in an archive and out of it.
@Suite struct ArchivedSessionsTests {
    private let scratch: Scratch
    private let other: Scratch

    init() throws {
        scratch = try Scratch()
        other = try Scratch()
        try scratch.add(first, ["key": [1, 2, 3]])
        try scratch.add(second, ["key": [5, 6, 7]])
        try scratch.withSessions(of: first) { store in
            try store.transaction {
                try $0.set("session", Array("bob".utf8), [4, 5].span)
                try $0.set("nonce", [9], [UInt8]().span)
            }
        }
    }

    private func archive(withSessions: Bool = true) throws -> Archive {
        try parsed(scratch.archive(withSessions: withSessions))
    }

    private func parsed(_ bytes: [UInt8]) throws -> Archive { try Archive(bytes.span) }

    @Test func `an archive has sessions only if that was asked for`() throws {
        let bytes = try scratch.archive(withSessions: true)
        let files = try TarArchive(bytes.span, maxEntries: 10).files
        #expect(
            files.map(\.name.text).suffix(3) == [
                "carrier/ONE/key", "carrier/ONE/sessions.values", "carrier/TWO/key",
            ])
        let content = Array(bytes[files[3].content])
        #expect(
            content == Array("KTV1\u{5}nonce\u{1}\u{9}\0\0\0\0\u{7}session\u{3}bob\0\0\0\u{2}\u{4}\u{5}".utf8))
        #expect(try archive().sessions(of: first)?.facts == SessionFacts(values: 2, bytes: content.count))
        #expect(try archive().sessions(of: second) == nil)
        #expect(try archive(withSessions: false).sessions(of: first) == nil)
        let without = try scratch.archive()
        #expect(without.firstRange(of: Array("sessions".utf8)) == nil)
    }

    @Test func `an identity that is added has them in a store that is a copy`() throws {
        let archive = try archive()
        for records in archive.identities {
            let decision = try other.keeper.store(
                records, sessions: archive.sessions(of: records.owner), mayReplace: false)
            #expect(decision == .add)
        }
        try other.withSessions(of: first) { store in
            #expect(store.origin == .copied)
            let value = try store.read("session", Array("bob".utf8))?.copied
            #expect(value == [4, 5])
            let isKnown = try store.contains("nonce", [9])
            #expect(isKnown)
            #expect(throws: SessionStoreError.self) { try store.transaction { _ in } }
            try store.adopt { try $0.removeAll("session") }
        }
        try other.withSessions(of: first) { #expect($0.origin == .here) }
        #expect(!FileManager.default.fileExists(atPath: other.directory(second) + "/sessions.db"))
        // They can leave this keystore, too.
        #expect(try parsed(other.archive(withSessions: true)).sessions(of: first)?.count == 1)
    }

    @Test(arguments: [false, true]) func `an identity that is held gets none`(isReplaced: Bool) throws {
        let archive = try archive()
        let records = try #require(archive.identities.first)
        try other.add(first, ["key": [9, 9, 9]])
        let before = try other.names(first)
        let decision = try? other.keeper.store(records, sessions: archive.sessions(of: first), mayReplace: isReplaced)
        #expect((decision == nil) != isReplaced)
        #expect(try other.names(first) == before)
        try other.change(first, "key", [1, 2, 3])
        #expect(
            try other.keeper.store(records, sessions: archive.sessions(of: first), mayReplace: isReplaced) == .nothing)
        #expect(try other.names(first) == before)
    }

    @Test func `sessions that are in the keystore stay in a replacement`() throws {
        let archive = try archive()
        let records = try #require(archive.identities.first)
        try other.add(first, ["key": [9, 9, 9]])
        try other.withSessions(of: first) { store in
            try store.transaction { try $0.set("session", [1], [1].span) }
        }
        _ = try other.keeper.store(records, sessions: archive.sessions(of: first), mayReplace: true)
        try other.withSessions(of: first) { store in
            #expect(store.origin == .here)
            let count = try store.count(of: "session")
            #expect(count == 1)
        }
    }

    // MARK: What does not open

    @Test func `damaged sessions are named, and the identity can be exported without them`() throws {
        let path = scratch.directory(first) + "/sessions.db"
        try Data([UInt8](repeating: 0x41, count: 8192)).write(to: URL(filePath: path))
        chmod(path, 0o600)
        let survey = try scratch.keeper.survey(withSessions: true)
        #expect(
            survey.identities.map(\.owner) == [first, second] && survey.identities.allSatisfy { $0.sessions == nil })
        #expect(survey.failures.isEmpty && survey.sessionFailures.map(\.owner) == [first])
        #expect(survey.sessionFailures.first?.error is SessionStoreError)
        #expect(try scratch.keeper.survey().sessionFailures.isEmpty)
        #expect(try archive().sessions(of: first) == nil)
    }

    @Test func `sessions in use are not waited for without need`() throws {
        let held = try scratch.keystore.lockedIdentity(second, wait: .zero)
        let survey = try scratch.keeper.survey(withSessions: true)
        #expect(survey.sessionFailures.isEmpty)
        _ = consume held
        let other = try scratch.keystore.lockedIdentity(first, wait: .zero)
        var waits: [Owner] = []
        let failures = try scratch.keeper.survey(withSessions: true, SessionWait(.milliseconds(1)) { waits.append($0) })
            .sessionFailures
        #expect(waits == [first] && failures.map(\.owner) == [first])
        let lock = scratch.directory(first) + "/lock"
        #expect(failures.first?.error as? ArchiveRefusal == .sessionsInUse(first, lock: lock))
        _ = consume other
    }

    @Test func `sessions without an identity, and malformed ones`() throws {
        let version = ("keytool-archive", Array("1\n".utf8))
        let alone = Written.tar([version, ("carrier/ONE/sessions.values", Array("KTV1".utf8))])
        let records = try #require(try parsed(alone).identities.first)
        #expect(throws: ArchiveRefusal.malformed(first, .missing("key"))) {
            _ = try other.keeper.store(records, mayReplace: false)
        }
        for (content, problem) in [
            ("", ExportError.malformed(offset: 0)), ("KTV9", .unknownForm(0x39)), ("KTV1\u{1}", .malformed(offset: 4)),
        ] {
            let bytes = Written.tar([version, ("carrier/ONE/sessions.values", Array(content.utf8))])
            let archive = try parsed(bytes)
            #expect(archive.identities.map(\.owner) == [first])
            #expect(throws: ArchiveError.sessions(first, problem)) { _ = try archive.sessions(of: first) }
            #expect(try archive.sessions(of: second) == nil)
        }
        for name in ["carrier/O.E/sessions.values", "carrier/ONE/places/main/sessions.values", "sessions.values"] {
            let bytes = Written.tar([version, (name, Array("KTV1".utf8))])
            #expect(throws: ArchiveError.unknownFile(name)) { _ = try parsed(bytes) }
        }
    }
}

extension Scratch {
    /// An identity's directory.
    fileprivate func directory(_ owner: Owner) -> String { "\(path)/keys/identities/\(owner.messenger)/\(owner.id)" }

    fileprivate func names(_ owner: Owner) throws -> Set<String> {
        try Set(FileManager.default.contentsOfDirectory(atPath: directory(owner))).subtracting(["lock"])
    }

    /// The session store of an identity, as a program on the libraries opens it.
    fileprivate func withSessions(of owner: Owner, _ body: (OpenSessionStore) throws -> Void) throws {
        let identity = try keystore.lockedIdentity(owner, wait: .zero)
        let key = keystore.digestKey("sessions")
        let store = try identity.withDirectory { directory in
            try OpenSessionStore(in: directory, messenger: owner.messenger, id: owner.id, key: key)
        }
        defer { store.close() }
        try body(store)
    }
}
