/// What differs between the protocols that use a double ratchet. The machine is the same for all.
public struct RatchetSuite: Sendable {
    /// The agreement on the first secret: HKDF-SHA-256 of the Diffie-Hellman results, with a salt of 32 zero bytes.
    public struct Agreement: Sendable {
        /// Whether 32 bytes `ff` stand before the results (The X3DH Key Agreement Protocol, section 2.2).
        public let hasPrefix: Bool
        /// HKDF's info: the UTF-8 bytes of the given text.
        public let info: [UInt8]

        /// - Parameter info: any text; a protocol has its own.
        public init(hasPrefix: Bool, info: String) {
            self.hasPrefix = hasPrefix
            self.info = Array(info.utf8)
        }
    }

    /// What the first secret is made into.
    public enum Start: Sendable {
        /// Root key and a chain, 64 bytes: the responder sends on that chain at once, with its prekey as ratchet key.
        case sharedChain
        /// The root key, 32 bytes: the responder cannot send before it has received (The Double Ratchet Algorithm,
        /// section 3.3).
        case rootKey
    }

    /// Derives longer keys from a message key: HKDF-SHA-256 with a salt of 32 zero bytes.
    public struct Expansion: Sendable {
        /// HKDF's info: the UTF-8 bytes of the given text.
        public let info: [UInt8]
        /// Length of the result in bytes.
        public let count: Int

        /// - Parameter count: 1 to 8160.
        public init(info: String, count: Int) {
            precondition((1...8160).contains(count))
            self.info = Array(info.utf8)
            self.count = count
        }
    }

    /// The first header keys: HKDF-SHA-256 of the first secret without a salt, 32 bytes each (The Double Ratchet
    /// Algorithm with Header Encryption, section 4).
    public struct HeaderKeys: Sendable {
        /// HKDF's info for the key that the initiator sends under.
        public let initiatorInfo: [UInt8]
        /// HKDF's info for the key that the responder's first headers are under.
        public let responderInfo: [UInt8]

        /// Each info is any text; the two have to differ, or both directions would have one key.
        public init(initiatorInfo: String, responderInfo: String) {
            self.initiatorInfo = Array(initiatorInfo.utf8)
            self.responderInfo = Array(responderInfo.utf8)
        }
    }

    /// What becomes of a receiving chain when the sender has begun another one.
    public enum FormerChains: Sendable {
        /// Its chain key stays, so that messages on it are received as before.
        case stayOpen
        /// The keys of missing messages are derived, as many as the sender says it has sent, and the chain key is
        /// wiped.
        case areClosed
    }

    /// What one side keeps for the other one.
    public struct Limits: Sendable {
        /// Most messages that one message may skip. It bounds the work that a message can cause.
        public let maxSkipped: Int
        /// Most keys of skipped messages in a session.
        public let maxStored: Int
        /// What happens to a message that would exceed `maxStored`.
        public let overflow: Overflow
        /// Most receiving chains; the oldest is dropped with its keys.
        public let maxChains: Int
        /// After this time a skipped message's key is removed.
        public let maxAge: Duration
        /// Most messages on a sending chain; then the session waits for an answer.
        public let maxSent: UInt32

        /// What becomes of a message that skips others if their keys do not fit into `maxStored`.
        public enum Overflow: Sendable {
            /// The oldest keys are removed.
            case removeOldest
            /// The message is refused.
            case refuse
        }

        /// - Parameters:
        ///   - maxSkipped: 0 to `maxStored`.
        ///   - maxStored: 0 to 10,000.
        ///   - maxChains: 1 to 255.
        ///   - maxSent: 1 to 2³² − 1.
        public init(
            maxSkipped: Int, maxStored: Int, overflow: Overflow, maxChains: Int, maxAge: Duration,
            maxSent: UInt32 = UInt32.max
        ) {
            precondition(maxSkipped >= 0 && (maxSkipped...10_000).contains(maxStored))
            precondition((1...255).contains(maxChains) && maxSent > 0)
            self.maxSkipped = maxSkipped
            self.maxStored = maxStored
            self.overflow = overflow
            self.maxChains = maxChains
            self.maxAge = maxAge
            self.maxSent = maxSent
        }
    }

    /// Stands in records, so that no session is read under another suite. The caller numbers its suites.
    public let id: UInt8
    /// The agreement on the first secret.
    public let agreement: Agreement
    /// What that secret is made into.
    public let start: Start
    /// HKDF's info in a root step. The salt is the root key, the secret a Diffie-Hellman result.
    public let rootInfo: [UInt8]
    /// What a message key is made into; nil if it is used as it is, 32 bytes.
    public let expansion: Expansion?
    /// Nil if headers are not encrypted.
    public let headerKeys: HeaderKeys?
    /// What becomes of a receiving chain after its last message.
    public let formerChains: FormerChains
    /// The number of HKDF's first block: 1 as in RFC 5869, or 0.
    public let firstBlock: UInt8
    /// Bounds of skipped messages, stored keys and chains.
    public let limits: Limits

    /// - Parameters:
    ///   - headerKeys: only with former chains that are closed, and with `rootKey` as start.
    ///   - firstBlock: 0 or 1.
    public init(
        id: UInt8, agreement: Agreement, start: Start, rootInfo: String, expansion: Expansion?,
        headerKeys: HeaderKeys?, formerChains: FormerChains, firstBlock: UInt8 = 1, limits: Limits
    ) {
        precondition(firstBlock <= 1)
        precondition(headerKeys == nil || formerChains == .areClosed && start == .rootKey)
        self.id = id
        self.agreement = agreement
        self.start = start
        self.rootInfo = Array(rootInfo.utf8)
        self.expansion = expansion
        self.headerKeys = headerKeys
        self.formerChains = formerChains
        self.firstBlock = firstBlock
        self.limits = limits
    }

    /// Length of the first secret in bytes.
    public var secretCount: Int { start == .sharedChain ? 64 : 32 }
}
