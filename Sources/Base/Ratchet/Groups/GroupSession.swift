public import Encodings

/// A group in which each member sends on a chain of its own, which it gives to every other member over their sessions
/// of two ("sender keys").
///
/// The rule: who has left opens nothing that is sent later. So when a member is gone, this side begins another chain
/// and seals nothing until every member has been given it. A member that is added is given the present position of the
/// chain, and opens nothing that was sent before.
///
/// It is a value without I/O, as `DoubleRatchet` is: store `encoded()` in one transaction with what a step has made.
/// Messages are signed by their sender and not by this chain's key, which all members have: check the signature first.
public struct GroupSession: ~Copyable, Sendable {
    /// Bounds of members, keys and chains, as they were given at the start.
    public let limits: GroupLimits
    var state: GroupState

    init(limits: GroupLimits, state: GroupState) {
        self.limits = limits
        self.state = state
    }

    /// A group without chains.
    /// - Parameters:
    ///   - members: all members, with this side.
    ///   - lastGeneration: that of this side's former session in the same group. Keep it when the group is left:
    ///     a distribution of that time may still be on its way, and must not count as newer than the next ones.
    /// - Throws: `.malformedMembers`.
    public init(
        _ own: GroupMember, members: [GroupMember], limits: GroupLimits, lastGeneration: UInt32? = nil
    ) throws(GroupError) {
        let others = try Self.others(own, members, limits)
        self.init(limits: limits, state: GroupState(own: own, others: others, generation: lastGeneration))
    }

    /// The generation of this side's newest chain; nil before the first one.
    public var lastGeneration: UInt32? { state.generation }

    /// The member that this side is.
    public var own: GroupMember { state.own }

    /// All members, with this side, in order.
    public var members: [GroupMember] { (state.others + [state.own]).sorted() }

    /// Keys of messages that were skipped and may still come.
    public var storedCount: Int { state.storedCount }

    /// What a change of the members has done.
    public struct MembershipChange: Equatable, Sendable {
        /// Who is not a member any more. The chains and skipped keys of these members are gone, and closed chains are
        /// not known any more; remove their kept messages, too.
        public let removed: [GroupMember]
        /// Members that were none before, in order. Each has to be given the chain before anything is sealed.
        public let added: [GroupMember]
    }

    /// Sets the members. If one is gone, the own chain is wiped.
    /// - Parameter members: all members, with this side.
    /// - Throws: `.malformedMembers`.
    public mutating func setMembers(_ members: [GroupMember]) throws(GroupError) -> MembershipChange {
        let others = try Self.others(state.own, members, limits)
        let removed = state.others.filter { !others.contains($0) }
        let added = others.filter { !state.others.contains($0) }
        for member in removed { (state.receiving[member], state.closed[member]) = (nil, nil) }
        if !removed.isEmpty { state.sending = nil }
        state.others = others
        return MembershipChange(removed: removed, added: added)
    }

    private static func others(
        _ own: GroupMember, _ members: [GroupMember], _ limits: GroupLimits
    ) throws(GroupError) -> [GroupMember] {
        guard members.count <= limits.maxMembers, members.contains(own), Set(members).count == members.count else {
            throw .malformedMembers
        }
        return members.filter { $0 != own }.sorted()
    }

    /// Ends the own chain, as at a change of members. A copied or restored state has to do this before it seals.
    public mutating func endChain() { state.sending = nil }

    /// Removes keys and chains that are too old. `open` does the same first.
    public mutating func expire(at now: Timestamp) { state.expire(at: now, limits) }

    /// Members that have to be given the own chain before anything is sealed.
    public borrowing func pending(at now: Timestamp) -> [GroupMember] {
        guard let sending = state.sending, !state.isSpent(at: now, limits) else { return state.others }
        return state.others.filter { !sending.holders.contains($0) }
    }
}
