import Primitives
import SecureMemory
import Threema
import ThreemaForwardSecurity

/// Operations of forward security. Each secret of a session is computed from both sides.
enum ForwardSecurity {
    private static let maxTurns: Int64 = 1_000_000

    static func ratchet(_ check: inout Check) throws {
        let key = try check.inputs.secret("initialChainKey", count: Chain.keyCount)
        let turns = try check.inputs.integer("turns", in: 0...maxTurns)
        var chain = Chain(key: key, counter: try counter(check, "initialCounter"))
        for _ in 0..<turns { chain.turn() }
        try check.compare("chainKey", chain.key)
        try check.compare("encryptionKey", chain.messageKey())
        check.compare("counter", chain.counter)
    }

    static func ratchetLimit(_ check: inout Check) throws {
        let limit = UInt64(try check.inputs.integer("maxIncrement", in: 0...maxTurns))
        let target = try counter(check, "targetCounter")
        let key = SecureBytes(count: Chain.keyCount) { _ in }
        var chain = Chain(key: key, counter: try counter(check, "initialCounter"))
        try chain.advance(to: target, limit: limit)
        check.compare("counter", chain.counter)
    }

    private static func counter(_ check: Check, _ name: String) throws -> UInt64 {
        UInt64(try check.inputs.integer(name, in: 0...(1 << 62)))
    }

    static func session(_ check: inout Check) throws {
        let inputs = check.inputs
        let (initiator, responder) = (try inputs.id("initiator"), try inputs.id("responder"))
        let s1 = try secret("dhStaticStatic", "initiatorSecretKey", "responderSecretKey", &check)
        let s2 = try secret("dhEphIStaticR", "initiatorFssk", "responderSecretKey", &check)
        let s3 = try secret("dhStaticIEphR", "initiatorSecretKey", "responderFssk", &check)
        let s4 = try secret("dhEphEph", "initiatorFssk", "responderFssk", &check)

        let root2 = KeyAgreement.twoDHRoot(s1: s1, s2: s2, initiator: initiator)
        try check.compare("chain2dhInitiator", root2)
        let seed = KeyAgreement.fourDHSeed(s1: s1, s2: s2, s3: s3, s4: s4)
        try check.compare("intermediate4dh", seed)
        try check.compare("chain4dhResponder", KeyAgreement.fourDHRoot(seed: seed, sender: responder))
        let root4 = KeyAgreement.fourDHRoot(seed: seed, sender: initiator)
        try check.compare("chain4dhInitiator", root4)

        let inner = try inputs.bytes("inner")
        let chain2 = Chain(key: root2)
        try check.compare("enc2dhCounter1", InnerBox.seal(inner.span, key: chain2.messageKey()))
        var chain4 = Chain(key: root4)
        let box = InnerBox.seal(inner.span, key: chain4.messageKey())
        try check.compare("enc4dhCounter1", box)
        let message = Encapsulated(
            mode: .fourDH, counter: chain4.counter, offered: .v1_2, applied: .v1_2, group: nil, box: box)
        chain4.turn()
        try check.compare("chain4dhInitiatorCounter2", chain4.key)
        try envelopes(message, &check)
    }

    /// The secret of two private keys, from either side.
    private static func secret(
        _ name: String, _ own: String, _ other: String, _ check: inout Check
    ) throws -> SecureBytes {
        let (ownKey, otherKey) = (try publicKey(check, own), try publicKey(check, other))
        let secret = try KeyAgreement.secret(try check.inputs.secret(own), otherKey)
        try check.compare(name, secret)
        let back = try KeyAgreement.secret(try check.inputs.secret(other), ownKey)
        check.require(name, secret.equals(back))
        return secret
    }

    private static func publicKey(_ check: Check, _ name: String) throws -> [UInt8] {
        try check.inputs.secret(name, count: X25519.count).withBytes { X25519.publicKey(of: $0) }
    }

    private static func envelopes(_ message: Encapsulated, _ check: inout Check) throws {
        let session = SessionID(try check.inputs.bytes("sessionId", count: SessionID.count))
        let initiate = KeyShare(publicKey: try publicKey(check, "initiatorFssk"), versions: .supported)
        let accept = KeyShare(publicKey: try publicKey(check, "responderFssk"), versions: .supported)
        for (name, content) in [
            ("initEnvelope", Envelope.Content.initiate(initiate)), ("acceptEnvelope", .accept(accept)),
            ("encapsulated4dhEnvelope", .encapsulated(message)),
        ] {
            let envelope = Envelope(session: session, content: content)
            let bytes = envelope.encoded
            try check.compare(name, bytes)
            check.require(name, try Envelope(decoding: bytes.span) == envelope)
        }
    }
}
