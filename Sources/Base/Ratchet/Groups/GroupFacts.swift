public import Encodings

// What is known of a group's chains without their keys: for a program that shows them, or that stores something beside
// each of them.

/// The chain on which this side sends.
public struct OwnChainFacts: Equatable, Sendable {
    /// The chain's name.
    public let chain: ChainID
    /// How many chains this side has had before.
    public let generation: UInt32
    /// Number of its first message.
    public let first: UInt32
    /// Number of the next message.
    public let next: UInt32
    /// When it began: the time of the first `distribution(for:at:first:)` for it.
    public let started: Timestamp
    /// Members that were given it, in order.
    public let holders: [GroupMember]
}

/// A chain of another member.
public struct OtherChainFacts: Equatable, Sendable {
    /// The chain's name, by which messages refer to it.
    public let chain: ChainID
    /// How many chains the member has had before.
    public let generation: UInt32
    /// Number of the next message; nil for a chain of which only skipped keys are left.
    public let next: UInt32?
    /// Keys of messages that were skipped and may still come.
    public let skipped: Int
    /// When a newer chain of the member came; nil for the newest one.
    public let replaced: Timestamp?
}

extension GroupSession {
    /// The own chain; nil if there is none, or if it has ended.
    public var ownChain: OwnChainFacts? {
        state.sending.map {
            OwnChainFacts(
                chain: $0.id, generation: $0.generation, first: $0.first, next: $0.chain.next, started: $0.started,
                holders: $0.holders.sorted())
        }
    }

    /// The chains of another member by generation, the newest last. Empty for one that has given none.
    public borrowing func chains(of member: GroupMember) -> [OtherChainFacts] {
        (state.receiving[member] ?? []).map {
            OtherChainFacts(
                chain: $0.id, generation: $0.generation, next: $0.chain?.next, skipped: $0.skipped.count,
                replaced: $0.replaced)
        }
    }
}
