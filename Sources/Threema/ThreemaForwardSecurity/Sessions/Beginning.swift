internal import Encodings
internal import Primitives
internal import SecureMemory
internal import Threema
internal import ThreemaMessages

extension Session {
    /// L20: the initiator's session, before its Init is answered.
    /// - Parameters:
    ///   - ephemeral: the private key of a new pair, 32 bytes.
    /// - Throws: `.weakPublicKey` cannot be: `Parties` has refused such a contact.
    static func begun(
        _ id: SessionID, ephemeral: consuming SecureBytes, _ parties: borrowing Parties, at now: Timestamp
    ) throws(SharedKeyError) -> Session {
        let s2 = try KeyAgreement.secret(ephemeral, parties.contactKey.bytes)
        let root = KeyAgreement.twoDHRoot(s1: parties.keys.message, s2: s2, initiator: parties.own)
        return Session(
            id: id, isInitiator: true, ephemeral: ephemeral, chain2: Chain(key: root), outgoing4: nil, incoming4: nil,
            acceptNumber: nil, version: .v1_0, peerOffer: .v1_0, incomingMinimum: .v1_0, lastSent: now)
    }

    /// R20: the responder's session. The own ephemeral key is not in it any more.
    /// - Parameters:
    ///   - share: of the Init.
    ///   - ephemeral: the private key of a new pair, 32 bytes. It is erased.
    ///   - version: the newest common one.
    ///   - acceptNumber: of the Accept in the outbox.
    /// - Throws: `.weakPublicKey` if the initiator's ephemeral key is a point of small order.
    static func accepting(
        _ id: SessionID, _ share: KeyShare, ephemeral: consuming SecureBytes, version: Version, acceptNumber: UInt64,
        _ parties: borrowing Parties, at now: Timestamp
    ) throws(SharedKeyError) -> Session {
        let s2 = try KeyAgreement.secret(parties.ownKey, share.publicKey)
        let s3 = try KeyAgreement.secret(ephemeral, parties.contactKey.bytes)
        let s4 = try KeyAgreement.secret(ephemeral, share.publicKey)
        let chain2 = KeyAgreement.twoDHRoot(s1: parties.keys.message, s2: s2, initiator: parties.contact)
        let seed = KeyAgreement.fourDHSeed(s1: parties.keys.message, s2: s2, s3: s3, s4: s4)
        return Session(
            id: id, isInitiator: false, ephemeral: nil, chain2: Chain(key: chain2),
            outgoing4: Chain(key: KeyAgreement.fourDHRoot(seed: seed, sender: parties.own)),
            incoming4: Chain(key: KeyAgreement.fourDHRoot(seed: seed, sender: parties.contact)),
            acceptNumber: acceptNumber, version: version, peerOffer: share.versions.maximum, incomingMinimum: version,
            lastSent: now)
    }

    /// L20 becomes L44. The own ephemeral key and the 2DH chain are erased.
    /// - Parameters:
    ///   - share: of the Accept.
    ///   - version: the newest common one.
    /// - Throws: `.weakPublicKey` if the responder's ephemeral key is a point of small order. Then nothing has changed.
    mutating func agree(
        _ share: KeyShare, version: Version, _ parties: borrowing Parties
    ) throws(SharedKeyError) {
        let seed: SecureBytes
        switch ephemeral {
        case .none: preconditionFailure("only L20 is accepted")
        case .some(let ephemeral):
            let s2 = try KeyAgreement.secret(ephemeral, parties.contactKey.bytes)
            let s3 = try KeyAgreement.secret(parties.ownKey, share.publicKey)
            let s4 = try KeyAgreement.secret(ephemeral, share.publicKey)
            seed = KeyAgreement.fourDHSeed(s1: parties.keys.message, s2: s2, s3: s3, s4: s4)
        }
        outgoing4 = Chain(key: KeyAgreement.fourDHRoot(seed: seed, sender: parties.own))
        incoming4 = Chain(key: KeyAgreement.fourDHRoot(seed: seed, sender: parties.contact))
        ephemeral = nil
        chain2 = nil
        self.version = version
        peerOffer = share.versions.maximum
        incomingMinimum = version
    }
}
