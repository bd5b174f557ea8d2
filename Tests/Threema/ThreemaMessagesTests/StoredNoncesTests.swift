import AtomicFiles
import Foundation
import SecureMemory
import SessionStore
import Testing
import Threema
import VectorKit

@testable import ThreemaMessages

/// The used nonces of an identity in a session store, as Examples/Sources/receive-once joins the two libraries.
struct StoredNonces: UsedNonces {
    let replay: ReplayStore
    let store: OpenSessionStore

    func contains(_ digest: NonceDigest) throws(SessionStoreError) -> Bool {
        try replay.contains(digest: digest.bytes, in: store)
    }
}

@Suite struct StoredNoncesTests {
    private let path = NSTemporaryDirectory() + "stored-nonces-\(UUID().uuidString)"

    /// Does something with the nonces on the disk, in a store that is opened for it.
    private func withNonces<Result>(of party: Party, _ body: (StoredNonces) throws -> Result) throws -> Result {
        let path = URL(filePath: path).resolvingSymlinksInPath().path()
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let key = SecureBytes(copying: [UInt8](repeating: 5, count: 32).span)
        let store = try OpenSessionStore(
            in: Directory.open(path, rule: .secret), messenger: "threema", id: party.id.text, key: key)
        defer { store.close() }
        return try body(StoredNonces(replay: ReplayStore(ownID: party.id.text), store: store))
    }

    private func receive(_ payload: [UInt8], _ bob: Engine) throws -> IncomingResult.Decision {
        var bob = bob
        return try withNonces(of: bob.party) { nonces in
            let digest = try MessagePayload(decoding: payload.span).nonce.digest(for: bob.party.id)
            if try nonces.contains(digest) { bob.nonces.digests.insert(digest) }
            let result = try bob.receive(payload)
            try nonces.store.transaction { changes in
                if let digest = result.nonceDigest { try nonces.replay.remember(digest: digest.bytes, in: changes) }
            }
            return result.decision
        }
    }

    @Test func `a replay is refused after the store was opened again`() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        var (alice, bob) = try Engine.pair()
        bob.asked = []
        let message = Message(.chat(.text("x")), from: alice.party, to: bob.party)
        let payload = try alice.send(message, to: bob.party)
        #expect(try receive(payload, bob) == .deliver(message))
        for _ in 0..<2 { #expect(try receive(payload, bob) == .discard(.nonceReused)) }
    }

    @Test func `both libraries store the same of a nonce`() throws {
        let nonce = MessageNonce([UInt8](repeating: 9, count: 24))
        let party = try Party("ABCD1234")
        let replay = ReplayStore(ownID: party.id.text)
        #expect(replay.digest(of: nonce.bytes) == nonce.digest(for: party.id).bytes)
    }

    @Test func `a nonce that was sent is found in the store`() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let (alice, bob) = (try Party("000ALICE"), try Party("00000BOB"))
        let keys = try alice.keys(with: bob.publicKey)
        let message = Message(.chat(.text("x")), from: alice, to: bob)
        let digest = try withNonces(of: alice) { nonces in
            let sealed = try message.seal(keys: keys, notIn: nonces)
            let digest = try #require(sealed.nonceDigest)
            try nonces.store.transaction { try nonces.replay.remember(digest: digest.bytes, in: $0) }
            return digest
        }
        let isStored = try withNonces(of: alice) { try $0.contains(digest) }
        #expect(isStored)
        // The store of another identity is sealed under other keys.
        #expect(throws: SessionStoreError.self) { try withNonces(of: bob) { try $0.contains(digest) } }
    }

    @Test func `origins have names of their own`() throws {
        let (alice, bob) = (try ThreemaID("000ALICE"), try ThreemaID("00000BOB"))
        let (one, two) = (MessageID(1), MessageID(2))
        let origins: [MessageOrigin] = [
            .contact(alice, one), .contact(alice, two), .contact(bob, one),
            .group(GroupIdentity(creator: alice, id: GroupID(one.bytes)), one),
            .group(GroupIdentity(creator: alice, id: GroupID(two.bytes)), one),
            .group(GroupIdentity(creator: bob, id: GroupID(one.bytes)), one),
            .group(GroupIdentity(creator: alice, id: GroupID(one.bytes)), two),
        ]
        #expect(Set(origins.map(\.bytes)).count == origins.count)
        #expect(origins[1].bytes == Array("000ALICE".utf8) + [2, 0, 0, 0, 0, 0, 0, 0])
        #expect(Set(origins.map(\.bytes.count)) == [16, 24])
    }
}
