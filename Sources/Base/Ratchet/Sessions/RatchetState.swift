internal import Encodings
internal import Primitives
internal import SecureMemory

/// A session's keys. A copy shares them: a step changes a copy, which replaces the state if the step succeeds.
struct RatchetState: Sendable {
    /// An own ratchet key.
    struct KeyPair: Sendable {
        let secret: HeldKey
        /// 32 bytes.
        let publicKey: [UInt8]

        init(secret: HeldKey, publicKey: [UInt8]) {
            self.secret = secret
            self.publicKey = publicKey
        }

        init(_ secret: HeldKey) {
            self.init(secret: secret, publicKey: secret.bytes.withBytes { X25519.publicKey(of: $0) })
        }
    }

    struct SendingChain: Sendable {
        var chain: KeyChain
        let headerKey: HeldKey?
    }

    struct ReceivingChain: Sendable {
        /// The other side's ratchet key, 32 bytes.
        let ratchetKey: [UInt8]
        let headerKey: HeldKey?
        /// Nil if the chain is closed; then only its skipped keys are left.
        var chain: KeyChain?
        var skipped = KeyTable()
    }

    var root: HeldKey
    var pair: KeyPair
    var sending: SendingChain?
    /// How many messages were sent on the chain before `sending`.
    var previousCount: UInt32 = 0
    /// From old to new. The last one is the current one.
    var receiving: [ReceivingChain] = []
    /// For the chains after the next messages in either direction, if headers are encrypted.
    var nextSendingKey: HeldKey?
    var nextReceivingKey: HeldKey?

    var storedCount: Int { receiving.reduce(0) { $0 + $1.skipped.count } }

    /// A chain for sending from the next root step.
    mutating func startSending(with pair: KeyPair, to other: [UInt8], _ suite: RatchetSuite) throws(RatchetError) {
        let step = try suite.rootStep(root, pair.secret, other)
        root = step.root
        self.pair = pair
        sending = SendingChain(chain: KeyChain(key: step.chain), headerKey: nextSendingKey)
        nextSendingKey = step.nextHeaderKey
    }

    /// A chain for receiving from the next root step, with the old own key.
    mutating func startReceiving(from other: [UInt8], _ suite: RatchetSuite) throws(RatchetError) {
        let step = try suite.rootStep(root, pair.secret, other)
        root = step.root
        receiving.append(
            ReceivingChain(ratchetKey: other, headerKey: nextReceivingKey, chain: KeyChain(key: step.chain)))
        nextReceivingKey = step.nextHeaderKey
    }

    /// Removes keys that are too old, and closed chains without keys.
    mutating func expire(at now: Timestamp, _ limits: RatchetSuite.Limits) {
        for index in receiving.indices { receiving[index].skipped.expire(limits.maxAge, at: now) }
        removeEmptyChains()
    }

    /// A closed chain without keys opens nothing. So its header key goes, too.
    mutating func removeEmptyChains() {
        receiving.removeAll { $0.chain == nil && $0.skipped.isEmpty }
    }

    /// Removes the oldest chains and keys until the limits hold.
    mutating func trim(_ limits: RatchetSuite.Limits) {
        if receiving.count > limits.maxChains { receiving.removeFirst(receiving.count - limits.maxChains) }
        var excess = storedCount - limits.maxStored
        for index in receiving.indices where excess > 0 {
            let removed = min(excess, receiving[index].skipped.count)
            receiving[index].skipped.removeFirst(removed)
            excess -= removed
        }
        removeEmptyChains()
    }
}
