import Encodings
import Ratchet
import SecureMemory
import SophaxChat
import Testing

extension PeerRecord {
    /// What a program stores of a new peer, with which it has begun a session and sealed a message.
    static func begun(by own: borrowing SophaxIdentity, at now: Timestamp) throws -> PeerRecord {
        let bob = SophaxIdentity()
        let prekeys = PrekeyStore(at: now)
        let others = PrekeyStore(at: now)
        guard let published = others.bundle(of: bob, oneTime: nil, username: "bob", at: now),
            let bundle = prekeys.bundle(of: own, oneTime: nil, username: "alice", at: now)
        else { throw HandshakeError.malformed }
        let checked = try published.check(asked: bob.peerID, known: nil, pinned: nil, at: now)
        var begun = try own.initiate(with: checked, own: bundle, first: [1].span)
        let sealed = try begun.session.seal([2].span)
        #expect(sealed.body.count > 1)
        var record = PeerRecord(bob.publicIdentity, of: own.publicIdentity, bundleForm: checked.form, version: .two)
        record.begin(begun.session, at: now)
        return record
    }
}
