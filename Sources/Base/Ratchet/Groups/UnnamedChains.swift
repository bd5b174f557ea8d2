public import Encodings
public import Primitives
public import SecureMemory

// Chains whose sender gives neither ID nor generation, as apps do that know chains by their keys only. This side gives
// each an ID of its own and the next generation, and compares keys to tell whether two distributions are of one chain.

extension GroupSession {
    /// A distribution of an unnamed chain is compared with a position that is held if they are at most so far apart. A
    /// chain that is taken for another one could open its messages twice.
    static let maxDistance: UInt32 = 10_000

    /// Accepts a chain that has no name. It becomes another one of its sender, unless it is one that is open here: then
    /// the position stays or, if its messages would be too far ahead, goes on. One that was closed goes on where it
    /// stood, so that nothing opens twice. As many chains stay open as the limits say.
    ///
    /// Use it only for senders all of whose chains have no name.
    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - number: that of the first message that it opens.
    ///   - sender: whose session of two the distribution has come in, and nobody else.
    /// - Throws: `.notMember`, `.numberTooHigh`, `.malformedDistribution`; then nothing has changed.
    public mutating func accept(
        unnamed key: HeldKey, number: UInt32, from sender: GroupMember, at now: Timestamp
    ) throws(GroupError) -> DistributionResult {
        try accept(unnamed: key, number: number, from: sender, at: now) { Random.bytes(ChainID.count) }
    }

    /// Accepts a chain that has no name.
    /// - Parameter draw: makes its ID, 16 bytes.
    package mutating func accept(
        unnamed key: HeldKey, number: UInt32, from sender: GroupMember, at now: Timestamp, draw: () -> [UInt8]
    ) throws(GroupError) -> DistributionResult {
        guard state.others.contains(sender) else { throw .notMember }
        guard key.bytes.count == KeyTable.keyCount else { throw .malformedDistribution }
        guard number < KeyChain.endNumber else { throw .numberTooHigh }
        let given = KeyChain(key: key, next: number)
        var chains = state.receiving[sender] ?? []
        for index in chains.indices { chains[index].naming = .unnamed }
        if let index = chains.firstIndex(where: { isSame(given, $0.chain) }) {
            guard let moved = moved(chains[index], to: given, at: now) else { return .known }
            chains[index] = moved
            state.replace(chains, of: sender)
            state.trim(limits)
            return .stored
        }
        let last = chains.last?.generation
        guard last != .max else { throw .numberTooHigh }
        let added = GroupState.OtherChain(
            id: ChainID(draw())!, generation: last.map { $0 + 1 } ?? 0, naming: .unnamed,
            chain: state.resumed(given, of: sender))
        try insert(added, in: &chains, of: sender, at: now, .limited)
        return .stored
    }

    /// Lets a chain that gets a name go on where it stands, if it is one of those without a name that are open.
    func take(_ named: inout GroupState.OtherChain, from chains: inout [GroupState.OtherChain], at now: Timestamp) {
        guard let given = named.chain, let index = chains.firstIndex(where: { isSame(given, $0.chain) }) else { return }
        let known = chains.remove(at: index)
        let place = moved(known, to: given, at: now) ?? known
        (named.chain, named.skipped, named.naming) = (place.chain, place.skipped, .both)
    }

    /// An open chain behind a position of it that is given.
    /// - Returns: nil if it stays where it is: messages from there on are not too far ahead.
    private func moved(
        _ chain: GroupState.OtherChain, to given: KeyChain, at now: Timestamp
    ) -> GroupState.OtherChain? {
        guard let held = chain.chain, Int(given.next) - Int(held.next) > limits.maxSkipped else { return nil }
        let far = held.walk(to: given.next - UInt32(limits.maxSkipped)).chain
        let walk = far.walk(to: given.next)
        var moved = chain
        walk.store(in: &moved.skipped, from: far.next, walk.count, at: now)
        moved.chain = walk.chain
        return moved
    }

    /// Whether one of two positions leads to the other one. Their distance is bounded, so this is a bounded work.
    private func isSame(_ given: KeyChain, _ held: KeyChain?) -> Bool {
        guard let held else { return false }
        let (first, second) = given.next < held.next ? (given, held) : (held, given)
        guard second.next - first.next <= Self.maxDistance else { return false }
        let reached = first.next == second.next ? first.key : first.walk(to: second.next).chain.key
        return reached.bytes.withBytes { one in second.key.bytes.withBytes { ConstantTime.areEqual(one, $0) } }
    }

    /// Opens a message that does not name its chain: by each chain of its sender, the newest first. The group itself
    /// does not change.
    /// - Parameters:
    ///   - sender: who has signed the message.
    ///   - isLate: only messages that were skipped open, on closed chains of which others did not name them, either.
    ///   - body: opens the body with a key, 32 bytes; it fails for the key of another chain.
    /// - Throws: `.notMember`, `.numberTooHigh`; `.tooManySkipped` if it is too far ahead of a chain, and no key was tried;
    ///   else `.unknownChain`. A message below all positions is not told to be a duplicate: apps begin chains at 0, and
    ///   it may be of one that has not arrived.
    public borrowing func open(
        unnamedFrom sender: GroupMember, number: UInt32, at now: Timestamp, isLate: Bool = false,
        body: (HeldKey) throws(AuthenticationError) -> SecureBytes
    ) throws(GroupError) -> OpenedGroupMessage {
        guard state.others.contains(sender) else { throw .notMember }
        var refusals: [GroupError] = []
        for chain in (state.receiving[sender] ?? []).reversed() {
            if isLate, chain.chain != nil || chain.naming == .named { continue }
            do throws(GroupError) {
                var opened = try open(from: sender, chain: chain.id, number: number, at: now, body: body)
                opened.next.state.note(chain.id, of: sender)
                return opened
            } catch {
                refusals.append(error)
            }
        }
        if refusals.contains(.numberTooHigh) { throw .numberTooHigh }
        // A key that fits the number but not the box is that of another chain.
        throw refusals.contains(.tooManySkipped) && !refusals.contains(.notAuthentic) ? .tooManySkipped : .unknownChain
    }
}

extension GroupState {
    /// Notes that a chain has opened a message that does not name it.
    fileprivate mutating func note(_ chain: ChainID, of sender: GroupMember) {
        guard let index = receiving[sender]?.firstIndex(where: { $0.id == chain && $0.naming == .named }) else {
            return
        }
        receiving[sender]?[index].naming = .both
    }
}
