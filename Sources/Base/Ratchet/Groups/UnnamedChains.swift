public import Encodings
public import Primitives
public import SecureMemory

// Chains whose sender gives neither ID nor generation, as apps do that know chains by their keys only. This side gives
// each an ID of its own and the next generation, and compares keys to tell whether two distributions are of one chain.

extension GroupSession {
    /// A distribution of an unnamed chain is compared with the position that is held if it is at most so far behind.
    static let maxBehind = 1000

    /// Accepts a chain that has no name. It becomes another one of its sender, unless it is one that is open here: then
    /// the position stays. As many chains stay open as the limits say.
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
        let chains = state.receiving[sender] ?? []
        for chain in chains {
            if let held = chain.chain, isSame(given, held) { return .known }
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
        guard Int(second.next - first.next) <= (given.next < held.next ? Self.maxBehind : limits.maxSkipped) else {
            return false
        }
        let reached = first.next == second.next ? first.key : first.walk(to: second.next).chain.key
        return reached.bytes.withBytes { one in second.key.bytes.withBytes { ConstantTime.areEqual(one, $0) } }
    }

    /// Opens a message that does not name its chain: by each chain of its sender, the newest first. The group itself
    /// does not change.
    /// - Parameters:
    ///   - sender: who has signed the message.
    ///   - body: opens the body with a key, 32 bytes; it fails for the key of another chain.
    /// - Throws: `.notMember`, `.numberTooHigh`; `.unknownChain` if the message may be of a chain that has not arrived,
    ///   else `.tooManySkipped`, or `.duplicate` if its number is behind all chains.
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
        let order: [GroupError] = [.numberTooHigh, .notAuthentic, .tooManySkipped, .duplicate]
        // A key that fits the number but not the box is that of another chain.
        let refusal = order.first { refusals.contains($0) } ?? .unknownChain
        throw refusal == .notAuthentic ? .unknownChain : refusal
    }
}
