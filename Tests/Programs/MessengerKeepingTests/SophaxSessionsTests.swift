import Encodings
import Keystore
import SecureMemory
import SessionStore
import SophaxChat
import SophaxStorage
import Testing

@testable import MessengerKeeping

/// A program on the libraries stores a session; keytool reads its facts.
@Suite struct SophaxSessionsTests {
    private let scratch: Scratch
    private let now = Timestamp(milliseconds: 1_767_225_600_000)
    private let id: PeerID
    private let peer: PeerID

    /// Alice's keystore with the session that she has begun with Bob.
    init() throws {
        scratch = try Scratch()
        let alice = SophaxIdentity()
        id = alice.peerID
        let record = try PeerRecord.begun(by: alice, at: now)
        peer = record.peer.peerID
        let account = try SophaxAccount(identity: alice, username: "alice")
        _ = try SophaxKeeper(scratch.keystore).store(account, isOnly: false, at: now)
        try store(record)
    }

    /// As a program on the libraries does it, with public types only.
    private func store(_ record: PeerRecord) throws {
        let owner = try #require(Owner(messenger: "sophaxchat", id: id.description))
        let identity = try scratch.keystore.lockedIdentity(owner, wait: .zero)
        let key = scratch.keystore.digestKey("sessions")
        let store = try identity.withDirectory { directory in
            try OpenSessionStore(in: directory, messenger: owner.messenger, id: owner.id, key: key)
        }
        let value = record.encoded()
        try store.transaction { changes in
            try value.withBytes {
                try changes.set(
                    ValueKind(stringLiteral: PeerRecord.kind), PeerRecord.name(of: record.peer.peerID), $0)
            }
        }
        store.close()
    }

    @Test func `the facts of a stored session`() throws {
        let facts = try SophaxKeeper(scratch.keystore).sessions(of: id, with: peer)
        #expect(facts.peer.peerID == peer && facts.bundleForm == .whole && facts.version == .two && !facts.isCopied)
        let session = try #require(facts.sessions.first)
        #expect(facts.sessions.count == 1 && session.began == now && session.canSend && session.form == .plain)
        #expect(session.counts.sent == 2 && session.counts.received == 0 && session.counts.skipped == 0)
        #expect(facts.bytes == 68 + 20 + session.bytes)
    }

    @Test func `a peer without sessions`() throws {
        let stranger = SophaxIdentity().peerID
        #expect(throws: SophaxKeepingError.noSession(stranger)) {
            try SophaxKeeper(scratch.keystore).sessions(of: id, with: stranger)
        }
        #expect(throws: SophaxKeepingError.noIdentity(stranger)) {
            try SophaxKeeper(scratch.keystore).sessions(of: stranger, with: peer)
        }
    }
}
