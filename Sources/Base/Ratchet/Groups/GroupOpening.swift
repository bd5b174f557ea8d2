public import Encodings
public import Primitives
public import SecureMemory

/// What a distribution has done.
public enum DistributionResult: Equatable, Sendable {
    /// The chain is new: open kept messages of this sender and chain, in the order of their numbers.
    case stored
    /// The chain is known, and its position stays: a position never goes back.
    case known
}

/// What happens to the former chains of a sender when it gives another one.
public enum FormerChains: Equatable, Sendable {
    /// As many stay open as the limits say, with the new one.
    case limited
    /// They are closed: only the keys of messages that were skipped stay.
    case closed
    /// They have no names, and are closed. A chain that gets a name goes on where it stands.
    case unnamed
}

/// A group's message that was opened, and the group after it.
@frozen
public struct OpenedGroupMessage: ~Copyable, Sendable {
    /// What the closure `body` has returned, in guarded memory.
    public var plaintext: SecureBytes
    /// The group after the message. Store it with the plaintext in one transaction; then it replaces the one that has
    /// opened the message.
    public var next: GroupSession
    /// Messages before it that have not been received; their keys are stored.
    public var skipped: Int
}

extension GroupSession {
    /// Accepts a chain from its sender. A chain that was closed, and is given again, goes on where it stood.
    /// - Parameters:
    ///   - sender: whose session of two the distribution has come in, and nobody else.
    ///   - now: former chains of the sender stay open until the limits say otherwise.
    ///   - former: what else happens to them.
    /// - Throws: `.notMember`, `.oldGeneration`, `.numberTooHigh`, `.malformedDistribution`; then nothing has changed.
    public mutating func accept(
        _ distribution: ChainDistribution, from sender: GroupMember, at now: Timestamp, former: FormerChains = .limited
    ) throws(GroupError) -> DistributionResult {
        guard state.others.contains(sender) else { throw .notMember }
        guard distribution.key.bytes.count == KeyTable.keyCount else { throw .malformedDistribution }
        guard distribution.number < KeyChain.endNumber else { throw .numberTooHigh }
        var chains = state.receiving[sender] ?? []
        if chains.contains(where: { $0.id == distribution.chain }) { return .known }
        var added = GroupState.OtherChain(
            id: distribution.chain, generation: distribution.generation,
            chain: KeyChain(key: distribution.key, next: distribution.number))
        if former == .unnamed {
            for index in chains.indices { chains[index].naming = .unnamed }
            take(&added, from: &chains, at: now)
        }
        added.chain = state.resumed(added.chain!, of: sender)
        try insert(added, in: &chains, of: sender, at: now, former)
        return .stored
    }

    /// Inserts an open chain by its generation, and closes former ones.
    mutating func insert(
        _ chain: GroupState.OtherChain, in chains: inout [GroupState.OtherChain], of sender: GroupMember,
        at now: Timestamp, _ former: FormerChains
    ) throws(GroupError) {
        let openChains = former == .limited ? limits.openChains : 1
        // A chain may overtake the one before it, whose messages are still to be opened.
        let index = chains.firstIndex { $0.follows(chain) } ?? chains.count
        let newer = chains.count - index
        guard newer < openChains, newer == 0 || chains[index].generation != chain.generation else {
            throw .oldGeneration
        }
        if newer == 0, let last = chains.indices.last { chains[last].replaced = now }
        chains.insert(chain, at: index)
        if newer > 0 { chains[index].replaced = now }
        let surplus = 0..<max(chains.count - openChains, 0)
        if former == .closed {
            // Their generations tell that they are closed.
            for index in surplus { chains[index].chain = nil }
        } else {
            state.close(&chains, surplus, of: sender)
        }
        state.replace(chains, of: sender)
        state.trim(limits)
    }

    /// Opens a message. The group itself does not change: without `next`, nothing has happened.
    /// - Parameters:
    ///   - sender: who has signed the message.
    ///   - now: skipped keys are stored with this time, and too old ones removed.
    ///   - body: opens the body with the key of its message, 32 bytes. It is called once, and after all checks.
    /// - Throws: `.notMember`, `.unknownChain`, `.duplicate`, `.tooManySkipped`, `.numberTooHigh`, `.notAuthentic`;
    ///   `.oldGeneration` for a message of a closed chain whose key is not stored, whether it was received or not.
    public borrowing func open(
        from sender: GroupMember, chain: ChainID, number: UInt32, at now: Timestamp,
        body: (HeldKey) throws(AuthenticationError) -> SecureBytes
    ) throws(GroupError) -> OpenedGroupMessage {
        guard state.others.contains(sender) else { throw .notMember }
        guard number < KeyChain.endNumber else { throw .numberTooHigh }
        var next = state
        next.expire(at: now, limits)
        var chains = next.receiving[sender] ?? []
        guard let index = chains.firstIndex(where: { $0.id == chain }) else { throw .unknownChain }
        let key: HeldKey
        var skipped = 0
        if let open = chains[index].chain, number >= open.next {
            skipped = Int(number - open.next)
            guard skipped <= limits.maxSkipped else { throw .tooManySkipped }
            let walk = open.walk(to: number + 1)
            walk.store(in: &chains[index].skipped, from: open.next, skipped, at: now)
            chains[index].chain = walk.chain
            key = walk.lastKey
        } else {
            guard let stored = chains[index].skipped.key(number) else {
                throw chains[index].chain == nil ? .oldGeneration : .duplicate
            }
            chains[index].skipped.remove(number)
            key = stored
        }
        next.replace(chains, of: sender)
        next.trim(limits)
        let plaintext = try Self.opened(key, body)
        return OpenedGroupMessage(
            plaintext: plaintext, next: GroupSession(limits: limits, state: next), skipped: skipped)
    }

    private static func opened(
        _ key: HeldKey, _ body: (HeldKey) throws(AuthenticationError) -> SecureBytes
    ) throws(GroupError) -> SecureBytes {
        do throws(AuthenticationError) { return try body(key) } catch { throw .notAuthentic }
    }
}

extension GroupState.OtherChain {
    /// Whether it is not older than a chain. Chains without a name are older than those that have one, and among
    /// themselves in the order of their arrival.
    fileprivate func follows(_ chain: GroupState.OtherChain) -> Bool {
        naming != .unnamed && chain.naming != .unnamed && generation >= chain.generation
    }
}
