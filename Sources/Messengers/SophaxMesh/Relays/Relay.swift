public import Encodings
internal import Primitives
public import SophaxChat

/// A message that others carry to its recipient.
public struct Relay: Equatable, Sendable {
    /// Highest number of hops that may be left.
    public static let maxHops: UInt8 = 6
    /// Longest payload of a message that is carried, in bytes: it is in Base64 in the message, the message in the relay,
    /// and the relay has to be a payload itself. A message to a neighbour may be longer.
    public static let maxPayload = WireMessage.maxPayload / 4 * 3 - 2048
    /// Names the relay; 1 to 64 bytes.
    public let id: String
    /// The peer that may open the message.
    public let target: PeerID
    /// Who has begun it; a claim.
    public let origin: PeerID
    /// Hops that are left. `RelayRules` drop a relay with 0, or with more than `maxHops`.
    public let ttl: UInt8
    /// Hops that were made; it stays at 255. Nothing proves it.
    public let hopCount: UInt8
    /// The message for the target, of any kind but `relay`. Nothing of it is verified.
    public let message: WireMessage

    /// A relay that begins here.
    /// - Parameter ttl: 1 to 6.
    /// - Returns: nil for a wrong length, for a relay in a relay, and for a payload that is longer than `maxPayload`.
    public init?(id: String, target: PeerID, origin: PeerID, ttl: UInt8 = maxHops, message: WireMessage) {
        guard (1...64).contains(id.utf8.count), (1...Self.maxHops).contains(ttl), message.kind != .relay,
            message.payload.count <= Self.maxPayload
        else { return nil }
        self.init(id, target, origin, ttl, 0, message)
    }

    private init(_ id: String, _ target: PeerID, _ origin: PeerID, _ ttl: UInt8, _ hops: UInt8, _ message: WireMessage)
    {
        self.id = id
        self.target = target
        self.origin = origin
        self.ttl = ttl
        hopCount = hops
        self.message = message
    }

    /// Reads a relay's payload. Nothing is verified; a relay in a relay is refused.
    /// - Throws: `.malformed`, `.unknownType`.
    public init(parsing bytes: [UInt8]) throws(WireError) {
        guard bytes.count <= WireMessage.maxPayload else { throw .malformed }
        let inner: [UInt8]
        do throws(FieldError) {
            let fields = try Fields(bytes)
            id = try fields.text("id", 1...64)
            target = try fields.peer("targetPeerID")
            origin = try fields.peer("originPeerID")
            ttl = try fields.integer("ttl", as: UInt8.self)
            hopCount = try fields.integer("hopCount", as: UInt8.self)
            guard let value = fields.value["message"] else { throw .field("message") }
            // Its payload is text here, so that the signed bytes stay what they are.
            inner = value.encoded
        } catch {
            throw .malformed
        }
        message = try WireMessage(parsing: inner)
        guard message.kind != .relay else { throw .malformed }
    }

    /// The relay one hop further; nil if none is left. The counter stays at 255.
    fileprivate var forwarded: Relay? {
        guard (2...Self.maxHops).contains(ttl) else { return nil }
        return Relay(id, target, origin, ttl - 1, hopCount == 255 ? 255 : hopCount + 1, message)
    }

    /// Tells relays apart, 32 bytes: of all but the hops, which change on the way.
    fileprivate var digest: [UInt8] { SHA256.hash(Relay(id, target, origin, 0, 0, message).encoded.span) }

    /// The payload to send: JSON, UTF-8.
    public var encoded: [UInt8] {
        // What was signed is in the payload, which is Base64 either way.
        let inner = (try? Fields(message.encoded).value) ?? .null
        return JSONValue.object(present: [
            ("id", .string(id)), ("targetPeerID", .string(target.description)),
            ("originPeerID", .string(origin.description)), ("ttl", .number(ttl)), ("hopCount", .number(hopCount)),
            ("message", inner),
        ]).bytes
    }
}

/// Decides what becomes of relays.
public struct RelayRules: Sendable {
    /// Relays that are remembered by their ids, so that each goes on once. Older ones are forgotten.
    public static let remembered = 500
    /// Senders with a bucket; above that, those of the oldest are forgotten.
    public static let maxSenders = 1000

    /// What to do with a relay.
    public enum Decision: Equatable, Sendable {
        /// It is for this peer: open the message.
        case deliver
        /// Send it to all neighbours but the sender.
        case forward(Relay)
        /// Nothing.
        case drop(Reason)
    }

    /// Why a relay is dropped: its hops are out of range, it came before, its neighbour sends too many, or it would
    /// need one more hop.
    public enum Reason: Equatable, Sendable { case hops, duplicate, rateLimited, lastHop }

    /// Digests: nothing of a relay is verified, so anyone who knows its name could stop it by another one of that name.
    private var seen = RecentSet<[UInt8]>(limit: remembered)
    private var buckets: [PeerID: TokenBucket] = [:]
    private var senders: [PeerID] = []

    /// Begins without any relay seen.
    public init() {}

    /// Decides on a relay.
    /// - Parameter sender: the neighbour that has signed the message around it.
    public mutating func decide(
        _ relay: Relay, from sender: PeerID, own: PublicIdentity, at now: Timestamp
    ) -> Decision {
        guard (1...Relay.maxHops).contains(relay.ttl) else { return .drop(.hops) }
        let digest = relay.digest
        guard !seen.contains(digest) else { return .drop(.duplicate) }
        if own.has(relay.target) {
            _ = seen.insert(digest)
            return .deliver
        }
        var bucket = buckets[sender] ?? TokenBucket(.forward, at: now)
        let isAllowed = bucket.take(at: now)
        if buckets[sender] == nil {
            senders.append(sender)
            if senders.count > Self.maxSenders { buckets[senders.removeFirst()] = nil }
        }
        buckets[sender] = bucket
        guard isAllowed else { return .drop(.rateLimited) }
        _ = seen.insert(digest)
        guard let next = relay.forwarded else { return .drop(.lastHop) }
        return .forward(next)
    }
}
