internal import Primitives
public import SecureMemory

// X3DH (The X3DH Key Agreement Protocol, section 3.3) of initiator A and responder B; 3DH is the same without DH4:
//
//   DH1  A's identity key, B's prekey
//   DH2  A's ephemeral key, B's identity key
//   DH3  A's ephemeral key, B's prekey
//   DH4  A's ephemeral key, B's one-time prekey
//
//   first secret = HKDF(salt 32 × 00, [32 × ff ‖] DH1 ‖ DH2 ‖ DH3 [‖ DH4], info)
//
// The prekey is B's first ratchet key. Whether it is signed, and the identity known, is for the caller to check.

/// The secret that two sides agree on, 32 or 64 bytes. A session begins with it.
public struct FirstSecret: ~Copyable, Sendable {
    let bytes: SecureBytes

    /// - Parameter bytes: as long as the suite's `secretCount`.
    public init(_ bytes: consuming SecureBytes, suite: RatchetSuite) {
        precondition(bytes.count == suite.secretCount)
        self.bytes = bytes
    }

    /// Public keys of the responder, 32 bytes each, from a place that others can write to.
    public struct ResponderKeys: Equatable, Sendable {
        /// Its X25519 identity key, 32 bytes.
        public let identity: [UInt8]
        /// Its prekey, which is its first ratchet key.
        public let prekey: [UInt8]
        /// Its one-time prekey, if the prekey is another one.
        public let oneTime: [UInt8]?

        /// All lengths are checked later.
        public init(identity: [UInt8], prekey: [UInt8], oneTime: [UInt8]? = nil) {
            self.identity = identity
            self.prekey = prekey
            self.oneTime = oneTime
        }
    }

    /// The initiator's computation.
    /// - Parameters:
    ///   - identity: the initiator's private identity key, 32 bytes.
    ///   - ephemeral: a private key for this session only, 32 bytes.
    /// - Throws: `.weakKey` for a key of another length or of low order.
    public static func initiate(
        _ suite: RatchetSuite, identity: borrowing SecureBytes, ephemeral: borrowing SecureBytes,
        with keys: ResponderKeys
    ) throws(RatchetError) -> FirstSecret {
        var results = SecureBuffer(capacity: 5 * X25519.count)
        let prefix = suite.agreement.hasPrefix ? RatchetSuite.agreementPrefix : []
        results.append(prefix.span)
        results.append(try RatchetSuite.agree(identity, keys.prekey))
        results.append(try RatchetSuite.agree(ephemeral, keys.identity))
        results.append(try RatchetSuite.agree(ephemeral, keys.prekey))
        if let oneTime = keys.oneTime { results.append(try RatchetSuite.agree(ephemeral, oneTime)) }
        return FirstSecret(agreed: results.finish(), suite)
    }

    /// The responder's computation.
    /// - Parameters:
    ///   - identity: the responder's private identity key, 32 bytes.
    ///   - prekey: the private key of the prekey that the initiator names, 32 bytes.
    ///   - oneTime: that of the one-time prekey that the initiator names, 32 bytes.
    ///   - initiator: the initiator's public identity key.
    ///   - ephemeral: the initiator's public ephemeral key.
    /// - Throws: `.weakKey` for a key of another length or of low order.
    public static func respond(
        _ suite: RatchetSuite, identity: borrowing SecureBytes, prekey: borrowing SecureBytes, oneTime: HeldKey? = nil,
        initiator: [UInt8], ephemeral: [UInt8]
    ) throws(RatchetError) -> FirstSecret {
        var results = SecureBuffer(capacity: 5 * X25519.count)
        let prefix = suite.agreement.hasPrefix ? RatchetSuite.agreementPrefix : []
        results.append(prefix.span)
        results.append(try RatchetSuite.agree(prekey, initiator))
        results.append(try RatchetSuite.agree(identity, ephemeral))
        results.append(try RatchetSuite.agree(prekey, ephemeral))
        if let oneTime { results.append(try RatchetSuite.agree(oneTime.bytes, ephemeral)) }
        return FirstSecret(agreed: results.finish(), suite)
    }

    private init(agreed results: borrowing SecureBytes, _ suite: RatchetSuite) {
        bytes = suite.derive(
            results, salt: RatchetSuite.noSalt, info: suite.agreement.info, count: suite.secretCount)
    }
}

extension FirstSecret {
    /// Whether both have the same bytes, compared in constant time.
    public borrowing func equals(_ other: borrowing SecureBytes) -> Bool {
        bytes.withBytes { own in other.withBytes { ConstantTime.areEqual(own, $0) } }
    }
}
