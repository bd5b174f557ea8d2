public import Encodings

/// Which messages of a group are kept until their chain's distribution comes. It decides; the caller keeps the messages,
/// under sender and name, and stores both in one transaction. Use one for each group: names say nothing of it.
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

    /// What tells the messages of a sender apart.
    public struct Name: Hashable, Sendable {
        /// The chain that is not known.
        public let chain: ChainID
        /// Its number on the chain.
        public let number: UInt32
        /// A digest of what is sealed: chains that have no name share one here, and each has a message of this number.
        public let digest: [UInt8]

        /// All values are compared only.
        public init(_ chain: ChainID, _ number: UInt32, _ digest: [UInt8]) {
            self.chain = chain
            self.number = number
            self.digest = digest
        }
    }

    /// A message that is kept.
    public struct Entry: Equatable, Sendable {
        /// Its name.
        public let name: Name
        /// Who has signed it.
        public let sender: GroupMember
        /// Its length in bytes.
        public let count: Int
        /// When it came first.
        public let received: Timestamp

        /// A message that the caller has stored.
        public init(name: Name, sender: GroupMember, count: Int, received: Timestamp) {
            self.name = name
            self.sender = sender
            self.count = count
            self.received = received
        }
    }

    /// The messages by their time, and those of one time in the order of their arrival.
    public private(set) var entries: [Entry] = []
    private var senders: [GroupMember: Held] = [:]
    /// No message came before this time; nil for no messages.
    private var earliest: Timestamp?

    /// The messages of one sender.
    private struct Held: Equatable {
        var messages: Set<Name> = []
        /// Length of all of them.
        var bytes = 0
        /// When the sender was asked for a chain.
        var asked: Timestamp?
    }

    /// What to do with a message.
    public enum Decision: Equatable, Sendable {
        /// Keep it. Ask the sender for its chain, if `asks`.
        case keep(asks: Bool)
        /// A message of this sender and name is kept already. Its time stays: who sends it again does not prolong it.
        case duplicate
        /// The sender has too many messages, or too long ones, or this one is too old: drop it.
        case full
    }

    /// Begins without messages.
    public init() {}

    /// The messages that the caller has stored. Each sender may be asked again.
    /// - Parameter entries: in any order. Those beyond the limits are dropped, and so are doubles.
    public init(_ entries: [Entry]) {
        let sorted = entries.sorted { ($0.received, $0.name.number) < ($1.received, $1.name.number) }
        for entry in sorted { _ = keep(entry, at: entry.received) }
        for sender in senders.keys { senders[sender]!.asked = nil }
    }

    /// Decides on a message whose chain is not known.
    /// - Parameter count: length of the message in bytes.
    public mutating func hold(_ name: Name, from sender: GroupMember, count: Int, at now: Timestamp) -> Decision {
        keep(Entry(name: name, sender: sender, count: count, received: now), at: now)
    }

    /// Decides on a message that was released, and whose chain is still not known. It stays as old as it was.
    public mutating func keep(_ entry: Entry, at now: Timestamp) -> Decision {
        _ = expire(at: now)
        var own = senders[entry.sender] ?? Held()
        guard !own.messages.contains(entry.name) else { return .duplicate }
        guard entry.count >= 0, own.messages.count < Self.maxMessages, entry.count <= Self.maxBytes - own.bytes,
            !own.messages.isEmpty || senders.count < Self.maxSenders, now - entry.received < Self.maxAge
        else { return .full }
        let asks = own.asked.map { now - $0 >= Self.askingInterval } ?? true
        if asks { own.asked = now }
        own.messages.insert(entry.name)
        own.bytes += entry.count
        senders[entry.sender] = own
        let index = entries.lastIndex { $0.received <= entry.received }
        entries.insert(entry, at: index.map { $0 + 1 } ?? 0)
        earliest = min(earliest ?? entry.received, entry.received)
        return .keep(asks: asks)
    }

    /// Takes the messages of a chain that is known now, in the order of their numbers: open and remove them, or keep them
    /// again.
    public mutating func release(_ chain: ChainID, of sender: GroupMember) -> [Entry] {
        remove { $0.sender == sender && $0.name.chain == chain }.sorted { $0.name.number < $1.name.number }
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
            own.messages.remove(entry.name)
            own.bytes -= entry.count
            // A sender without messages may be asked again at once.
            senders[entry.sender] = own.messages.isEmpty ? nil : own
        }
        earliest = entries.map(\.received).min()
        return removed
    }
}
