public import Encodings
public import SophaxChat

/// What a message of the wire has to pass before its payload is decoded, in this order: rate limit, replay, signature,
/// version, recipient. It is a value: what was refused has changed nothing.
///
/// The rate limit is the sender's, and anybody can write a contact's name on a message. So it refuses before the
/// signature is verified, and counts only what has passed everything: neither forged nor repeated messages use up a
/// contact's. What forged ones cost, a signature each, is bounded for each connection by `ConnectionRules`.
public struct WireGate: Sendable {
    /// Message signatures that are remembered for each peer.
    public static let remembered = 1000
    /// Peers that are remembered; above that, strangers are refused, and contacts are not.
    public static let maxPeers = 1000

    private struct Peer: Sendable {
        var buckets: [WireMessage.Kind: TokenBucket] = [:]
        var seen = RecentSet<[UInt8]>(limit: WireGate.remembered)
        var version: WireMessage.Version
    }

    /// The public keys of this side. Messages for other recipients are refused.
    public let own: PublicIdentity
    private var peers: [PublicIdentity: Peer] = [:]

    /// A gate that has seen nothing.
    public init(own: PublicIdentity) { self.own = own }

    /// The highest version that a peer has proved; nil for one that was never seen. Store it with the contact.
    public func version(of peer: PublicIdentity) -> WireMessage.Version? { peers[peer]?.version }

    /// Sets what is stored of a contact.
    public mutating func pin(_ version: WireMessage.Version, of peer: PublicIdentity) {
        peers[peer] = peers[peer] ?? Peer(version: version)
        if let known = peers[peer]?.version, known < version { peers[peer]?.version = version }
    }

    /// Admits a message of a known peer, or one that introduces its sender. Also for what `SealedMessage.open` returns,
    /// which is never sealed itself.
    /// - Parameter known: the sender's keys, from contacts; nil for a stranger.
    /// - Returns: the sender's keys.
    /// - Throws: `WireError`, except `.unknownType` and `.nestedSeal`.
    public mutating func admit(
        _ message: WireMessage, known: PublicIdentity?, at now: Timestamp
    ) throws(WireError) -> PublicIdentity {
        let sender: PublicIdentity
        if let known {
            sender = known
        } else {
            guard message.kind.introduces else { throw .unknownSender }
            sender = try Self.introduced(message)
        }
        guard sender.has(message.sender) else { throw .wrongSender }
        // Strangers cost nothing to make, so they must not keep a contact out.
        guard known != nil || peers[sender] != nil || peers.count < Self.maxPeers else { throw .rateLimited }
        var peer = peers[sender] ?? Peer(version: message.version)
        var bucket = Self.rule(message.kind).map { peer.buckets[message.kind] ?? TokenBucket($0, at: now) }
        guard bucket?.take(at: now) != false else {
            // No token is gone. The time is noted, or a clock that went back would refuse all until then.
            peer.buckets[message.kind] = bucket
            peers[sender] = peer
            throw .rateLimited
        }
        // Also before it is verified: what is repeated costs no signature, and counts against no connection.
        guard !peer.seen.contains(message.signature) else { throw .replayed }
        guard message.isSigned(by: sender) else { throw .badSignature }
        guard message.version >= peer.version else { throw .lowerVersion }
        try checkRecipient(message)
        _ = peer.seen.insert(message.signature)
        peer.version = message.version
        peer.buckets[message.kind] = bucket
        peers[sender] = peer
        return sender
    }

    private func checkRecipient(_ message: WireMessage) throws(WireError) {
        guard message.version == .two else { return }
        if let recipient = message.recipient {
            guard own.has(recipient) else { throw .wrongRecipient }
        } else if message.kind.needsRecipient {
            throw .wrongRecipient
        }
    }

    private static func rule(_ kind: WireMessage.Kind) -> TokenBucket.Rule? {
        switch kind {
        case .typing: .typing
        case .reaction: .reaction
        case .hello, .initiateSession, .message, .sealed, .groupMessage, .relay, .ack, .groupMemberLeft, .readReceipt,
            .disconnect:
            nil
        }
    }

    /// The keys that a message carries.
    private static func introduced(_ message: WireMessage) throws(WireError) -> PublicIdentity {
        guard message.payload.count <= 4 * PrekeyBundle.maxCount else { throw .malformed }
        do throws(FieldError) {
            let fields = try Fields(message.payload)
            guard let bundle = fields.value[message.kind == .hello ? "bundle" : "senderBundle"] else {
                throw .malformed
            }
            return try PrekeyBundle(Fields(bundle)).identity
        } catch {
            throw .malformed
        }
    }
}
