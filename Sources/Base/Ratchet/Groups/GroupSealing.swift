public import Encodings
internal import Primitives
internal import SecureMemory

/// The chain of a sender at one position, for one member. It opens all messages from that position on.
public struct ChainDistribution: Sendable {
    /// The name of the chain, which messages on it carry.
    public let chain: ChainID
    /// How many chains the sender has had before.
    public let generation: UInt32
    /// Number of the first message that it opens.
    public let number: UInt32
    /// 32 bytes.
    public let key: HeldKey

    /// All values are checked where they are used.
    public init(chain: ChainID, generation: UInt32, number: UInt32, key: HeldKey) {
        self.chain = chain
        self.generation = generation
        self.number = number
        self.key = key
    }
}

/// The key of a group's message to send. It seals one body, and for a messenger that says so its attachment.
public struct GroupKeys: Sendable {
    /// The name of this side's chain, for the message.
    public let chain: ChainID
    /// How many chains this side has had before this one.
    public let generation: UInt32
    /// The number of the message on the chain.
    public let number: UInt32
    /// 32 bytes.
    public let messageKey: HeldKey
}

extension GroupSession {
    /// Gives the own chain to a member. Begins one if there is none, or if it has ended. The caller seals the
    /// distribution in its session with the member, and stores both in one transaction.
    /// - Parameter first: number of the first message, if a chain begins: 0, unless receivers know chains by their
    ///   numbers only.
    /// - Throws: `.notMember`, `.numberTooHigh`.
    public mutating func distribution(
        for member: GroupMember, at now: Timestamp, first: UInt32 = 0
    ) throws(GroupError) -> ChainDistribution {
        try distribution(for: member, at: now, first: first) {
            (id: Random.bytes(ChainID.count), key: HeldKey(Random.secret(KeyTable.keyCount)))
        }
    }

    /// Gives the own chain to a member.
    /// - Parameter draw: makes ID, 16 bytes, and key, 32 bytes, of a chain that begins.
    package mutating func distribution(
        for member: GroupMember, at now: Timestamp, first: UInt32 = 0, draw: () -> (id: [UInt8], key: HeldKey)
    ) throws(GroupError) -> ChainDistribution {
        guard state.others.contains(member) else { throw .notMember }
        if state.isSpent(at: now, limits) {
            guard state.generation != UInt32.max, first < KeyChain.endNumber else { throw .numberTooHigh }
            let generation = state.generation.map { $0 + 1 } ?? 0
            let (id, key) = draw()
            state.sending = GroupState.OwnChain(
                id: ChainID(id)!, generation: generation, chain: KeyChain(key: key, next: first), first: first,
                started: now)
            state.generation = generation
        }
        var sending = state.sending!
        sending.holders.insert(member)
        state.sending = sending
        return ChainDistribution(
            chain: sending.id, generation: sending.generation, number: sending.chain.next, key: sending.chain.key)
    }

    /// Takes the key of the next message. Store the group before the message leaves.
    /// - Throws: `.rekeyPending` as long as a member has not been given the chain; then nothing has changed. A group
    ///   without other members has nobody to seal for.
    public mutating func seal(at now: Timestamp) throws(GroupError) -> GroupKeys {
        // Every holder is one of the others, so their numbers tell whether one is missing.
        guard var sending = state.sending, !state.isSpent(at: now, limits),
            sending.holders.count == state.others.count
        else { throw .rekeyPending(pending(at: now)) }
        let number = sending.chain.next
        let step = sending.chain.step()
        sending.chain = step.chain
        state.sending = sending
        return GroupKeys(
            chain: sending.id, generation: sending.generation, number: number, messageKey: step.key)
    }
}
