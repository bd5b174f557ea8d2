public import SecureMemory

/// Shares of one set as they come in, and what is still missing.
public struct ShareCollection: Sendable {
    /// What is there of a group.
    public struct Progress: Equatable, Sendable {
        /// 0 to 15.
        public let group: UInt8
        /// How many shares of it are needed.
        public let threshold: UInt8
        /// The places of those that are there, sorted, from 0.
        public let indices: [UInt8]

        /// How many are still needed.
        public var missing: Int { max(0, Int(threshold) - indices.count) }
    }

    /// All that were added, in their order.
    public private(set) var shares: [Share] = []

    /// No shares.
    public init() {}

    /// Adds a share.
    /// - Returns: false if this share is there already; then it counts once.
    /// - Throws: `.otherSet`, `.otherThreshold` or `.sameIndex`; then it is not added.
    public mutating func add(_ share: Share) throws(ShareJoinError) -> Bool {
        if let first = shares.first, first.set != share.set { throw .otherSet }
        for other in shares where other.group == share.group {
            guard other.threshold == share.threshold else { throw .otherThreshold(group: share.group) }
            guard other.index == share.index else { continue }
            guard other.isSame(as: share) else { throw .sameIndex(group: share.group, index: share.index) }
            return false
        }
        shares.append(share)
        return true
    }

    /// What is there of each group of which a share is, by the number of the group.
    public var progress: [Progress] {
        Dictionary(grouping: shares, by: \.group).map { group, shares in
            Progress(group: group, threshold: shares[0].threshold, indices: shares.map(\.index).sorted())
        }.sorted { $0.group < $1.group }
    }

    /// Whether there are enough shares of enough groups.
    public var isComplete: Bool {
        guard let set = shares.first?.set else { return false }
        return progress.count { $0.missing == 0 } >= set.groupThreshold
    }

    /// What most callers are ready to wait for, about a second.
    public static let usualIterationExponent: UInt8 = 8

    /// Joins the shares. More than are needed have to fit, too.
    ///
    /// That the result is the secret which was shared, only something else can tell: another passphrase gives another
    /// result, and a share of a threshold of one is checked by its checksum alone.
    /// - Parameters:
    ///   - passphrase: the one that the secret was shared with; empty for none.
    ///   - maxIterationExponent: what the caller is ready to wait for; the maker of the shares has chosen the exponent.
    /// - Throws: `.missing`, `.tooCostly`, `.passphrase`; `.digest` or `.stray` if the shares do not belong together.
    public func join(
        passphrase: Span<UInt8> = Span(), maxIterationExponent: UInt8 = usualIterationExponent
    ) throws(ShareJoinError) -> SecureBytes {
        guard isComplete, let set = shares.first?.set else { throw .missing }
        guard set.iterationExponent <= maxIterationExponent else {
            throw .tooCostly(exponent: set.iterationExponent)
        }
        guard
            let cipher = SecretCipher(
                passphrase: passphrase, identifier: set.identifier, isExtendable: set.isExtendable,
                iterationExponent: set.iterationExponent)
        else { throw .passphrase }
        var groups: [SharePoint] = []
        for group in progress where group.missing == 0 {
            let points = shares.filter { $0.group == group.group }.map { SharePoint(x: $0.index, value: $0.value) }
            let value: HeldValue
            switch try Self.joined(points, threshold: group.threshold) {
            case .secret(let joined): value = joined
            case .stray(let index): throw .stray(group: group.group, index: index)
            }
            groups.append(SharePoint(x: group.group, value: value))
        }
        switch try Self.joined(groups, threshold: set.groupThreshold) {
        case .secret(let sealed): return cipher.open(sealed.bytes)
        case .stray(let group): throw .stray(group: group, index: shares.first { $0.group == group }!.index)
        }
    }

    private enum Joined {
        case secret(HeldValue)
        /// The place of one that is not on the polynomials of the others.
        case stray(UInt8)
    }

    private static func joined(_ points: [SharePoint], threshold: UInt8) throws(ShareJoinError) -> Joined {
        let used = Array(points.prefix(Int(threshold)))
        let secret = try Polynomial.join(used)
        for extra in points.dropFirst(used.count) {
            // With a threshold of one, all values are equal.
            let expected = HeldValue(SharePoint.interpolate(at: extra.x, used))
            guard extra.value.isSame(as: expected) else { return .stray(extra.x) }
        }
        return .secret(secret)
    }
}
