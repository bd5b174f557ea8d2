import AtomicFiles
import Foundation
import Ratchet
import RatchetModel
import SecureMemory
import SessionStore
import Testing
import VectorKit

/// The room over a real session store: plaintext and session in one transaction.
@Suite final class StoredTests {
    private let path = URL(filePath: NSTemporaryDirectory()).resolvingSymlinksInPath().path() + UUID().uuidString

    init() throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    private func open() throws -> OpenSessionStore {
        let key = SecureBytes(copying: [UInt8](repeating: 5, count: 32).span)
        return try OpenSessionStore(
            in: Directory.open(path, rule: .secret), messenger: "test", id: "bob", key: key)
    }

    private struct Interrupted: Error {}

    /// Receives a letter as a program does, which may end before the transaction does.
    private func receive(
        _ letter: Letter, _ suite: RatchetSuite, _ store: OpenSessionStore, isInterrupted: Bool = false
    ) throws {
        guard let stored = try store.read("session", [1]) else { throw Interrupted() }
        let record = stored.copied
        let opened = try DoubleRatchet(decoding: record.span, suite: suite).received(letter)
        let (next, text) = (opened.next.record(), opened.plaintext.copied)
        try store.transaction { changes in
            try changes.set("session", [1], next.span)
            if isInterrupted { throw Interrupted() }
            try changes.set("text", text, text.span)
        }
    }

    @Test(arguments: RatchetSuite.all) func `a message is stored with its session, or not at all`(
        _ suite: RatchetSuite
    ) throws {
        var pair = try Pair(suite)
        let first = pair.bob.record()
        var store = try open()
        try store.transaction { try $0.set("session", [1], first.span) }
        let letter = try pair.alice.send([7])
        #expect(throws: Interrupted.self) { try receive(letter, suite, store, isInterrupted: true) }
        #expect(try store.read("session", [1])?.copied == first)
        #expect(try store.count(of: "text") == 0)
        store.close()
        store = try open()
        try receive(letter, suite, store)
        #expect(try store.read("text", [7])?.copied == [7])
        #expect(throws: RatchetError.duplicate) { try receive(letter, suite, store) }
        // The largest session has a place, too.
        for _ in 0..<suite.limits.maxSkipped where pair.alice.canSend { _ = try pair.alice.send([0]) }
        if pair.alice.canSend { try receive(try pair.alice.send([8]), suite, store) }
        store.close()
        store = try open()
        #expect(try store.read("text", [8])?.copied == [8])
        store.close()
    }
}
