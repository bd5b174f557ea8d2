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
        let bob = SophaxIdentity()
        id = alice.peerID
        peer = bob.peerID
        let own = alice.publicIdentity
        let prekeys = PrekeyStore(at: now)
        let others = PrekeyStore(at: now)
        guard let published = others.bundle(of: bob, oneTime: nil, username: "bob", at: now),
            let ownBundle = prekeys.bundle(of: alice, oneTime: nil, username: "alice", at: now)
        else { throw HandshakeError.malformed }
        let checked = try published.check(asked: bob.peerID, known: nil, pinned: nil, at: now)
        var begun = try alice.initiate(with: checked, own: ownBundle, first: [1].span)
        let sealed = try begun.session.seal([2].span)
        #expect(sealed.body.count > 1)
        var record = PeerRecord(bob.publicIdentity, of: own, bundleForm: checked.form, version: .two)
        record.begin(begun.session, at: now)

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
