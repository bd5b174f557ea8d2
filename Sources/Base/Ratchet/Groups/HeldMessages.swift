public import Encodings

/// Which messages are kept until their chain's distribution comes. It decides; the caller keeps the messages, under
/// sender, chain and number, and stores both in one transaction.
public struct HeldMessages: Equatable, Sendable {
    /// Most messages of a sender.
    public static let maxMessages = 100
    /// Most bytes of a sender's messages.
    public static let maxBytes = 1 << 20
    /// After this time a message is dropped.
    public static let maxAge: Duration = .seconds(24 * 3600)
    /// A sender is asked for its chain once in this time.
    public static let askingInterval: Duration = .seconds(60)
    /// Most senders that messages are kept of. A message of another one is `.full`.
    public static let maxSenders = 1000

    /// A message that is kept.
    public struct Entry: Equatable, Sendable {
        /// The member whose signature it has.
        public let sender: GroupMember
        /// The chain that is not known.
        public let chain: ChainID
        /// Its number on the chain.
        public let number: UInt32
        /// Length of the message in bytes, which counts towards `maxBytes`.
        public let count: Int
        /// When it came. It is dropped `maxAge` later.
        public let received: Timestamp

        /// A message that the caller has stored.
        public init(sender: GroupMember, chain: ChainID, number: UInt32, count: Int, received: Timestamp) {
            self.sender = sender
            self.chain = chain
            self.number = number
            self.count = count
            self.received = received
        }
    }

    /// The messages, in the order of their arrival.
    public private(set) var entries: [Entry] = []
    private var senders: [GroupMember: Held] = [:]
    /// No message came before this time; nil for no messages.
    private var earliest: Timestamp?

    /// The messages of one sender.
    private struct Held: Equatable {
        var messages: Set<MessageName> = []
        /// Length of all of them.
        var bytes = 0
        /// When the sender was asked for a chain.
        var asked: Timestamp?
    }

    private struct MessageName: Hashable {
        let chain: ChainID
        let number: UInt32
    }

    /// What to do with a message.
    public enum Decision: Equatable, Sendable {
        /// Keep it. Ask the sender for its chain, if `asks`.
        case keep(asks: Bool)
        /// A message of this sender, chain and number is kept already.
        case duplicate
        /// The sender has too many messages, or too long ones: drop it.
        case full
    }

    /// Begins without messages.
    public init() {}

    /// The messages that the caller has stored. Each sender may be asked again.
    /// - Parameter entries: in any order. Those beyond the limits are dropped, and so are doubles.
    public init(_ entries: [Entry]) {
        for entry in entries.sorted(by: { $0.received < $1.received }) {
            _ = hold(
                from: entry.sender, chain: entry.chain, number: entry.number, count: entry.count, at: entry.received)
        }
        for sender in senders.keys { senders[sender]!.asked = nil }
    }

    /// Decides on a message whose chain is not known.
    /// - Parameter count: length of the message in bytes.
    public mutating func hold(
        from sender: GroupMember, chain: ChainID, number: UInt32, count: Int, at now: Timestamp
    ) -> Decision {
        _ = expire(at: now)
        let name = MessageName(chain: chain, number: number)
        var own = senders[sender] ?? Held()
        guard !own.messages.contains(name) else { return .duplicate }
        guard count >= 0, own.messages.count < Self.maxMessages, count <= Self.maxBytes - own.bytes,
            !own.messages.isEmpty || senders.count < Self.maxSenders
        else { return .full }
        let asks = own.asked.map { now - $0 >= Self.askingInterval } ?? true
        if asks { own.asked = now }
        own.messages.insert(name)
        own.bytes += count
        senders[sender] = own
        entries.append(Entry(sender: sender, chain: chain, number: number, count: count, received: now))
        earliest = min(earliest ?? now, now)
        return .keep(asks: asks)
    }

    /// Takes the messages of a chain that is known now, in the order of their numbers: open and remove them.
    public mutating func release(_ chain: ChainID, of sender: GroupMember) -> [Entry] {
        remove { $0.sender == sender && $0.chain == chain }.sorted { $0.number < $1.number }
    }

    /// Drops the messages of a member that is gone.
    /// - Returns: what to remove.
    public mutating func drop(_ sender: GroupMember) -> [Entry] {
        remove { $0.sender == sender }
    }

    /// Drops messages that are too old.
    /// - Returns: what to remove.
    public mutating func expire(at now: Timestamp) -> [Entry] {
        guard let earliest, now - earliest >= Self.maxAge else { return [] }
        return remove { now - $0.received >= Self.maxAge }
    }

    private mutating func remove(where isRemoved: (Entry) -> Bool) -> [Entry] {
        let removed = entries.filter(isRemoved)
        guard !removed.isEmpty else { return [] }
        entries.removeAll(where: isRemoved)
        for entry in removed {
            var own = senders[entry.sender]!
            own.messages.remove(MessageName(chain: entry.chain, number: entry.number))
            own.bytes -= entry.count
            // A sender without messages may be asked again at once.
            senders[entry.sender] = own.messages.isEmpty ? nil : own
        }
        earliest = entries.map(\.received).min()
        return removed
    }
}
