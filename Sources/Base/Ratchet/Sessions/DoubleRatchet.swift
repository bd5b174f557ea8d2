public import Encodings
internal import Primitives
public import SecureMemory

/// A session of two sides in which every message has a key of its own, and every answer brings in another secret (The
/// Double Ratchet Algorithm, with and without header encryption).
///
/// It is a value without I/O: store `encoded()` in one transaction with what a step has sealed or opened. A session
/// cannot be copied, because two copies would use a key twice.
public struct DoubleRatchet: ~Copyable, Sendable {
    /// The protocol of the session, as it was given at the start. A record of another suite is not read.
    public let suite: RatchetSuite
    var state: RatchetState

    init(suite: RatchetSuite, state: RatchetState) {
        self.suite = suite
        self.state = state
    }

    /// The initiator's session, which can send at once.
    /// - Parameter prekey: the responder's prekey, 32 bytes.
    /// - Throws: `.weakKey` for a prekey of another length or of low order.
    public static func initiate(
        _ suite: RatchetSuite, secret: consuming FirstSecret, prekey: [UInt8]
    ) throws(RatchetError) -> DoubleRatchet {
        try initiate(suite, secret: secret, prekey: prekey, ratchetKey: HeldKey(Random.secret(X25519.count)))
    }

    /// Initiates with a given private ratchet key, for tests and vectors only: a key that is used twice breaks the session.
    /// - Parameters:
    ///   - prekey: the responder's prekey, 32 bytes.
    ///   - ratchetKey: 32 bytes, random, which nothing else uses.
    /// - Throws: `.weakKey` for a prekey of another length or of low order.
    @_spi(GivenKeys) public static func initiate(
        _ suite: RatchetSuite, secret: borrowing FirstSecret, prekey: [UInt8], ratchetKey: HeldKey
    ) throws(RatchetError) -> DoubleRatchet {
        let pair = RatchetState.KeyPair(ratchetKey)
        var state = RatchetState(root: secret.root, pair: pair)
        switch suite.start {
        case .sharedChain:
            guard prekey.count == X25519.count else { throw .weakKey }
            state.receiving = [
                RatchetState.ReceivingChain(
                    ratchetKey: prekey, headerKey: nil, chain: KeyChain(key: secret.sharedChain))
            ]
        case .rootKey:
            let keys = suite.firstHeaderKeys(secret)
            state.nextSendingKey = keys?.initiator
            state.nextReceivingKey = keys?.responder
        }
        try state.startSending(with: pair, to: prekey, suite)
        return DoubleRatchet(suite: suite, state: state)
    }

    /// The responder's session.
    /// - Parameter prekey: the private key of the prekey that the initiator has used, 32 bytes.
    public static func respond(
        _ suite: RatchetSuite, secret: consuming FirstSecret, prekey: borrowing SecureBytes
    ) -> DoubleRatchet {
        let pair = RatchetState.KeyPair(prekey.withBytes { HeldKey($0) })
        var state = RatchetState(root: secret.root, pair: pair)
        switch suite.start {
        case .sharedChain:
            state.sending = RatchetState.SendingChain(chain: KeyChain(key: secret.sharedChain), headerKey: nil)
        case .rootKey:
            let keys = suite.firstHeaderKeys(secret)
            state.nextSendingKey = keys?.responder
            state.nextReceivingKey = keys?.initiator
        }
        return DoubleRatchet(suite: suite, state: state)
    }

    /// Removes the keys of skipped messages that are too old. `open` does the same first.
    public mutating func expire(at now: Timestamp) { state.expire(at: now, suite.limits) }

    /// Whether the session can send now: false for a responder that has not received yet, and at the end of a chain.
    public var canSend: Bool {
        guard let sending = state.sending else { return false }
        return sending.chain.next < suite.limits.maxSent
    }

    /// Keys of messages that were skipped and may still come.
    public var storedCount: Int { state.storedCount }

    /// Number of the next message to send on its chain; nil if there is none.
    public var sendingNumber: UInt32? { state.sending?.chain.next }

    /// How many messages were sent on the chain before the current one.
    public var previousCount: UInt32 { state.previousCount }

    /// Number of the next message to receive on its chain; nil before the first one.
    public var receivingNumber: UInt32? { state.receiving.last?.chain?.next }

    /// One's own ratchet key, 32 bytes.
    public var ratchetKey: [UInt8] { state.pair.publicKey }

    /// The other side's current ratchet key, 32 bytes; nil before its first message.
    public var remoteRatchetKey: [UInt8]? { state.receiving.last?.ratchetKey }
}

extension FirstSecret {
    fileprivate var root: HeldKey { bytes.withBytes { HeldKey($0.extracting(0..<32)) } }

    /// Only of a secret of 64 bytes.
    fileprivate var sharedChain: HeldKey { bytes.withBytes { HeldKey($0.extracting(32..<64)) } }
}

extension RatchetSuite {
    /// The header keys that both sides begin with, 32 bytes each.
    public struct FirstHeaderKeys: Sendable {
        /// Of the initiator's first headers.
        public let initiator: HeldKey
        /// Of the responder's first headers.
        public let responder: HeldKey
    }

    /// The first header keys of a session, which derives them itself. Nil if headers are not encrypted.
    public func firstHeaderKeys(_ secret: borrowing FirstSecret) -> FirstHeaderKeys? {
        guard let headerKeys else { return nil }
        return FirstHeaderKeys(
            initiator: HeldKey(derive(secret.bytes, salt: [], info: headerKeys.initiatorInfo, count: 32)),
            responder: HeldKey(derive(secret.bytes, salt: [], info: headerKeys.responderInfo, count: 32)))
    }
}
