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
    /// the position stays or, if its messages would be too far ahead, goes on. As many chains stay open as the limits
    /// say.
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
        for index in chains.indices {
            guard let held = chains[index].chain, isSame(given, held) else { continue }
            guard Int(given.next) - Int(held.next) > limits.maxSkipped else { return .known }
            let far = held.walk(to: given.next - UInt32(limits.maxSkipped)).chain
            let walk = far.walk(to: given.next)
            walk.store(in: &chains[index].skipped, from: far.next, walk.count, at: now)
            chains[index].chain = walk.chain
            state.replace(chains, of: sender)
            state.trim(limits)
            return .stored
        }
        let last = chains.last?.generation
        guard last != .max else { throw .numberTooHigh }
        return try accept(
            ChainDistribution(chain: ChainID(draw())!, generation: last.map { $0 + 1 } ?? 0, number: number, key: key),
            from: sender, at: now)
    }

    /// Whether one of two positions leads to the other one. Their distance is bounded, so this is a bounded work.
    private func isSame(_ given: KeyChain, _ held: KeyChain) -> Bool {
        let (first, second) = given.next < held.next ? (given, held) : (held, given)
        guard second.next - first.next <= Self.maxDistance else { return false }
        let reached = first.next == second.next ? first.key : first.walk(to: second.next).chain.key
        return reached.bytes.withBytes { one in second.key.bytes.withBytes { ConstantTime.areEqual(one, $0) } }
    }

    /// Opens a message that does not name its chain: by each chain of its sender, the newest first. The group itself
    /// does not change.
    /// - Parameters:
    ///   - sender: who has signed the message.
    ///   - body: opens the body with a key, 32 bytes; it fails for the key of another chain.
    /// - Throws: `.notMember`, `.numberTooHigh`; `.tooManySkipped` if it is too far ahead of a chain, and no key was tried;
    ///   else `.unknownChain`. A message below all positions is not told to be a duplicate: apps begin chains at 0, and
    ///   it may be of one that has not arrived.
    public borrowing func open(
        unnamedFrom sender: GroupMember, number: UInt32, at now: Timestamp,
        body: (HeldKey) throws(AuthenticationError) -> SecureBytes
    ) throws(GroupError) -> OpenedGroupMessage {
        guard state.others.contains(sender) else { throw .notMember }
        var refusals: [GroupError] = []
        for chain in (state.receiving[sender] ?? []).reversed() {
            do throws(GroupError) {
                return try open(from: sender, chain: chain.id, number: number, at: now, body: body)
            } catch {
                refusals.append(error)
            }
        }
        if refusals.contains(.numberTooHigh) { throw .numberTooHigh }
        // A key that fits the number but not the box is that of another chain.
        throw refusals.contains(.tooManySkipped) && !refusals.contains(.notAuthentic) ? .tooManySkipped : .unknownChain
    }
}
