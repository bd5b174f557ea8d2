internal import Encodings
internal import SecureMemory

/// A group's keys. A copy shares them, as that of `RatchetState` does.
struct GroupState: Sendable {
    /// The chain on which this side sends.
    struct OwnChain: Sendable {
        let id: ChainID
        let generation: UInt32
        var chain: KeyChain
        /// Number of its first message.
        let first: UInt32
        let started: Timestamp
        /// Members that were given the chain.
        var holders: Set<GroupMember> = []
    }

    /// How messages name a chain.
    enum Naming: UInt8, Sendable {
        /// By its ID.
        case named = 0
        /// By its ID, or not: it has opened messages that do not name it.
        case both = 4
        /// Not at all: ID and generation are this side's.
        case unnamed = 8
    }

    /// A chain of another member.
    struct OtherChain: Sendable {
        let id: ChainID
        let generation: UInt32
        var naming = Naming.named
        /// Nil if the chain is closed; then only its skipped keys are left.
        var chain: KeyChain?
        var skipped = KeyTable()
        /// When a newer chain of the sender came.
        var replaced: Timestamp?
    }

    let own: GroupMember
    /// The others, in order.
    var others: [GroupMember]
    var sending: OwnChain?
    /// The generation of the last own chain; nil before the first one.
    var generation: UInt32?
    /// By generation; chains without a name come before those that have one.
    var receiving: [GroupMember: [OtherChain]] = [:]
    /// Where chains stood that were closed, from old to new; none of them empty.
    var closed: [GroupMember: [ClosedChain]] = [:]

    var storedCount: Int { receiving.values.reduce(0) { $0 + $1.reduce(0) { $0 + $1.skipped.count } } }

    /// Whether the own chain may seal another message.
    func isSpent(at now: Timestamp, _ limits: GroupLimits) -> Bool {
        guard let sending else { return true }
        return sending.chain.next - sending.first >= limits.maxSent || sending.chain.next == KeyChain.endNumber
            || now - sending.started >= limits.maxChainAge
    }

    /// Removes what is too old: skipped keys, and chains behind which another one has come.
    mutating func expire(at now: Timestamp, _ limits: GroupLimits) {
        for member in receiving.keys {
            var chains = receiving[member] ?? []
            for index in chains.indices {
                chains[index].skipped.expire(limits.maxAge, at: now)
                if let replaced = chains[index].replaced, now - replaced >= limits.maxAge {
                    close(&chains, index..<index + 1, of: member)
                }
            }
            replace(chains, of: member)
        }
    }

    /// Removes the oldest skipped keys until no more than the limit are left.
    mutating func trim(_ limits: GroupLimits) {
        var excess = storedCount - limits.maxStored
        while excess > 0 {
            // The chain with the oldest key; of those with the same time, in the order of members.
            let candidates = receiving.keys.sorted().flatMap { member in
                (receiving[member] ?? []).indices.compactMap { index -> (GroupMember, Int, Timestamp)? in
                    receiving[member]?[index].skipped.entries.first.map { (member, index, $0.stored) }
                }
            }
            guard let (member, index, time) = candidates.min(by: { $0.2 < $1.2 }) else { return }
            var chains = receiving[member] ?? []
            let same = chains[index].skipped.entries.prefix { $0.stored == time }.count
            let removed = min(excess, same)
            chains[index].skipped.removeFirst(removed)
            replace(chains, of: member)
            excess -= removed
        }
    }

    /// Most chains of a sender, with those of which only skipped keys are left.
    static let maxChains = 64

    /// Replaces a sender's chains. Closed ones without keys go, except the newest: its generation is remembered.
    mutating func replace(_ chains: [OtherChain], of member: GroupMember) {
        let kept = chains.enumerated().filter { index, chain in
            index == chains.count - 1 || chain.chain != nil || !chain.skipped.isEmpty
        }
        receiving[member] = kept.isEmpty ? nil : kept.suffix(Self.maxChains).map(\.element)
    }
}
