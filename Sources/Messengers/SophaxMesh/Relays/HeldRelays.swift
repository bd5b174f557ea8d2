public import Encodings
public import SophaxChat

/// Relays for peers that cannot be reached now ("store and forward"): each for 48 hours, 30 for a peer, 300 in all.
///
/// If there is no room, the neighbour that has handed in most loses its oldest relay, so that none crowds out the
/// others. It is a value without I/O: store `items`, and give them back after a restart.
public struct HeldRelays: Equatable, Sendable {
    /// A relay is dropped after this time.
    public static let maxAge: Duration = .hours(48)
    /// Most relays of all peers together.
    public static let maxCount = 300
    /// Most relays for one peer.
    public static let maxPerPeer = 30
    /// Most bytes of all payloads. A payload may have 3 MiB, so that 300 of them would fill the memory.
    public static let maxBytes = 32 << 20

    /// A relay that waits, with what decides when it is dropped.
    public struct Item: Equatable, Sendable {
        /// As it goes on: one hop further than it has come.
        public let relay: Relay
        /// The neighbour that has signed the message around it.
        public let sender: PeerID
        /// When it was handed in.
        public let held: Timestamp

        /// All values are valid.
        public init(relay: Relay, sender: PeerID, held: Timestamp) {
            self.relay = relay
            self.sender = sender
            self.held = held
        }
    }

    /// The relays that wait, the oldest first. Store them to give them back after a restart.
    public private(set) var items: [Item] = []

    /// Begins without relays.
    public init() {}

    /// Takes what was stored, in any order; the limits hold for it, too. Relays of one time stay in the given order.
    public init(_ items: [Item], at now: Timestamp) {
        for item in items.sorted(by: { $0.held < $1.held }) { add(item) }
        expire(at: now)
    }

    /// Holds a relay that `RelayRules` forwards, and whose peer is not a neighbour now.
    /// - Returns: false if it is there already.
    public mutating func hold(_ relay: Relay, from sender: PeerID, at now: Timestamp) -> Bool {
        expire(at: now)
        return add(Item(relay: relay, sender: sender, held: now))
    }

    /// Takes the relays for a peer that can be reached again, from old to new.
    public mutating func release(_ peer: PublicIdentity, at now: Timestamp) -> [Relay] {
        expire(at: now)
        let released = items.filter { peer.has($0.relay.target) }
        items.removeAll { peer.has($0.relay.target) }
        return released.map(\.relay)
    }

    /// Drops relays that were handed in 48 hours ago. A clock that went back drops none.
    public mutating func expire(at now: Timestamp) { items.removeAll { now - $0.held >= Self.maxAge } }

    @discardableResult
    private mutating func add(_ item: Item) -> Bool {
        guard !items.contains(where: { $0.relay.isSame(as: item.relay) }) else { return false }
        items.append(item)
        let target = item.relay.target.short
        if items.count(where: { $0.relay.target.short == target }) > Self.maxPerPeer {
            dropOldest { $0.relay.target.short == target }
        }
        if items.count > Self.maxCount { dropOldest { _ in true } }
        while items.reduce(0, { $0 + $1.relay.message.payload.count }) > Self.maxBytes { dropOldest { _ in true } }
        return true
    }

    /// Drops the oldest one of the neighbour that has handed in most of these. If several have handed in as many, the
    /// oldest of all theirs goes.
    private mutating func dropOldest(of isMeant: (Item) -> Bool) {
        let counts = items.filter(isMeant).reduce(into: [:]) { $0[$1.sender, default: 0] += 1 }
        let most = counts.values.max()
        guard let index = items.firstIndex(where: { isMeant($0) && counts[$0.sender] == most }) else { return }
        items.remove(at: index)
    }
}

extension Relay {
    /// Whether another one differs in its hops only.
    fileprivate func isSame(as other: Relay) -> Bool {
        id == other.id && target == other.target && origin == other.origin && message == other.message
    }
}
