import AtomicFiles
import Foundation
import IbexModel
import SecureMemory
import SessionStore
import Testing
import Threema
@testable import ThreemaForwardSecurity
import ThreemaMessages
import VectorKit

/// The room over a real session store, as the essay joins the two.
@Suite final class StoredTests {
    private let path = URL(filePath: NSTemporaryDirectory()).resolvingSymlinksInPath().path() + UUID().uuidString
    private let pair: Pair

    init() throws {
        pair = try Pair()
        for name in ["here", "elsewhere"] {
            try FileManager.default.createDirectory(
                atPath: path + "/" + name, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The store of Alice.
    private func open(_ directory: String = "here") throws -> OpenSessionStore {
        let key = SecureBytes(copying: [UInt8](repeating: 5, count: 32).span)
        return try OpenSessionStore(
            in: Directory.open(path + "/" + directory, rule: .secret), messenger: "threema", id: "000ALICE", key: key)
    }

    private var alice: Side { pair.sides[0] }

    private struct Nonces: UsedNonces {
        let store: OpenSessionStore
        func contains(_ digest: NonceDigest) throws(SessionStoreError) -> Bool {
            try ReplayStore(ownID: "000ALICE").contains(digest: digest.bytes, in: store)
        }
    }

    private func conversation(_ store: OpenSessionStore) throws -> Conversation {
        guard let record = try store.read("ibex", alice.contact.bytes) else { return Conversation() }
        let bytes = record.copied
        return try Conversation(decoding: bytes.span)
    }

    private func write(
        _ commit: borrowing Commit, _ changes: borrowing Transaction, with result: IncomingResult? = nil
    ) throws {
        let replay = ReplayStore(ownID: "000ALICE")
        for digest in result.map({ commit.nonceDigests(with: $0) }) ?? commit.nonceDigests {
            try replay.remember(digest: digest.bytes, in: changes)
        }
        for name in commit.removed { try changes.remove("outbox", name) }
        for message in commit.queued {
            let bytes = message.payload.encoded
            try changes.set("outbox", message.name, bytes.span)
        }
        let record = commit.record.copied
        try changes.set("ibex", commit.contact.bytes, record.span)
    }

    private func circumstances(_ store: OpenSessionStore) -> Circumstances<Nonces, SystemRandom> {
        Circumstances(now: alice.now, used: Nonces(store: store))
    }

    private struct Crash: Error {}

    /// - Parameter crashes: whether the last write of the transaction is followed by an error.
    private func seal(_ text: String, _ store: OpenSessionStore, crashes: Bool = false) throws {
        let message = Message(
            from: alice.id, to: alice.contact, id: .random(), createdAt: alice.now, body: .chat(.text(text)))
        let sealed = try conversation(store).seal(message, alice.parties, circumstances(store))
        try store.transaction { changes in
            try write(sealed.commit, changes)
            if crashes { throw Crash() }
        }
    }

    /// Receives a message up to its acknowledgement.
    /// - Parameter crashes: whether the last write of the transaction is followed by an error.
    private func receive(
        _ bytes: [UInt8], _ store: OpenSessionStore, crashes: Bool = false
    ) throws -> IncomingResult.Decision {
        let payload = try MessagePayload(decoding: bytes.span)
        var pipeline = IncomingPipeline(bytes.span, own: alice.id)
        var received: Received?
        var step = pipeline.start()
        var result: IncomingResult?
        for _ in 0..<6 where result == nil {
            switch step {
            case .lookUpNonce(let digest):
                let isUsed = try Nonces(store: store).contains(digest)
                step = pipeline.answer(nonceIsUsed: isUsed)
            case .findContact: step = pipeline.open(keys: alice.parties.keys, isBlocked: false)
            case .unwrap(let envelope, _):
                let opened = try conversation(store).receive(
                    envelope.span, of: payload, alice.parties, circumstances(store))
                step = opened.answer(&pipeline)
                received = consume opened
            case .lookUpOrigin(let origin):
                step = pipeline.answer(isDuplicate: try store.contains("message", origin.bytes))
            case .finished(let finished): result = finished
            }
        }
        guard let result else { throw Unexpected() }
        try store.transaction { changes in
            switch received {
            case .some(let received): try write(received.commit, changes, with: result)
            case .none: break
            }
            if case .deliver(let message) = result.decision { try changes.set("message", message.origin.bytes, Span()) }
            if crashes { throw Crash() }
        }
        return result.decision
    }

    private func outbox(_ store: OpenSessionStore) throws -> [[UInt8]] {
        let unsent = try conversation(store).unsent
        return try unsent.map { number in
            guard let payload = try store.read("outbox", Conversation.outboxName(alice.contact, number)) else {
                throw Unexpected()
            }
            return payload.copied
        }
    }

    @Test func `a message is sent with the stored bytes, also by a process that was started later`() throws {
        var store = try open()
        try seal("one", store)
        let queued = try outbox(store)
        #expect(queued.count == 2)
        store.close()
        store = try open()
        #expect(try outbox(store) == queued)
        #expect(
            try pair.deliver(outbox(store) + queued, to: 1).last == .message(.twoDH, skipped: 0))
        #expect(pair.sides[1].delivered.count == 1)
        for number in UInt64(0)..<2 {
            let commit = try conversation(store).acknowledge(number, to: alice.contact)
            try store.transaction { try write(commit, $0) }
        }
        #expect(try outbox(store).isEmpty)
        #expect(try store.count(of: "outbox") == 0)
        store.close()
    }

    @Test func `a step that was not stored leaves nothing, and the next one uses its key`() throws {
        let store = try open()
        try seal("one", store)
        let before = try outbox(store)
        #expect(throws: Crash.self) { try seal("two", store, crashes: true) }
        #expect(try outbox(store) == before)
        try seal("three", store)
        let events = try pair.deliver(outbox(store), to: 1)
        // No counter is missing.
        #expect(events.dropFirst() == [.message(.twoDH, skipped: 0), .message(.twoDH, skipped: 0)])
        store.close()
    }

    @Test func `a received message that was not stored comes again, and one that was is discarded`() throws {
        var store = try open()
        let sent = try pair.post(1) + pair.post(1)
        for payload in sent {
            #expect(throws: Crash.self) { _ = try receive(payload, store, crashes: true) }
            store.close()
            store = try open()
            let first = try receive(payload, store)
            store.close()
            store = try open()
            #expect(try receive(payload, store) == .discard(.nonceReused))
            // The Init has no message in it.
            if payload == sent[0] {
                #expect(first == .discard(.forwardSecurity))
            } else {
                guard case .deliver = first else { throw Unexpected() }
            }
        }
        // One Accept only: what did not happen has sent nothing.
        let answers = try outbox(store)
        #expect(answers.count == 1)
        pair.sides[1].events = []
        let session = try #require(try pair.best(1))
        #expect(try pair.deliver(answers, to: 1) == [.agreed(session)])
        store.close()
    }

    @Test func `a copied store ends its sessions before it sends`() throws {
        var store = try open()
        try seal("one", store)
        store.close()
        let file = "/sessions.db"
        try FileManager.default.copyItem(atPath: path + "/here" + file, toPath: path + "/elsewhere" + file)

        // The one goes on.
        store = try open()
        try seal("two", store)
        try pair.deliver(outbox(store), to: 1)
        let session = try #require(try pair.best(1))
        store.close()

        // The other cannot seal until it has ended the session.
        let copy = try open("elsewhere")
        #expect(copy.origin == .copied)
        #expect(throws: SessionStoreError.self) { try self.seal("three", copy) }
        let ended = try conversation(copy).end(.reset, alice.parties, circumstances(copy))
        try copy.adopt { try write(ended, $0) }
        try seal("three", copy)
        let events = try pair.deliver(outbox(copy), to: 1)
        #expect(events.contains(.ended(.reset)))
        #expect(events.last == .message(.twoDH, skipped: 0))
        let next = try #require(try pair.best(1))
        #expect(next != session && pair.sides[1].delivered.count == 3)
        copy.close()
    }
}
