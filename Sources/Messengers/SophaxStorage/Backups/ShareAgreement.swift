public import SophaxChat

/// Which of several shares restore an identity, if some of them may be damaged. Shares have no check of their own, so
/// every combination of the threshold is joined.
public struct ShareAgreement: Sendable {
    /// Most combinations that are tried. As many shares as the threshold are one combination.
    public static let maxCombinations = 1000

    /// The name of the identity that the shares in `used` join to.
    public let peerID: PeerID
    /// As many as the threshold; `IdentityShare.join` makes the keys of them.
    public let used: [IdentityShare]
    /// Indices of those that agree with others, or that were the only ones.
    public let good: Set<UInt8>
    /// Whether a share or the caller has named the identity.
    public let isNamed: Bool

    /// Joins the combinations of some shares.
    /// - Parameters:
    ///   - shares: of one split, at least as many as its threshold, none twice.
    ///   - expected: the identity that they should join to.
    /// - Throws: `.malformed` for other shares, and for more than `maxCombinations`; `.wrongIdentity` if no combination
    ///   joins to the identity that is named; `.wrongKeyOrDamaged` if none is named, and no two combinations agree.
    public init(of shares: [IdentityShare], expected: PeerID?) throws(BackupError) {
        guard let first = shares.first, shares.count >= Int(first.threshold),
            Self.combinations(shares.count, Int(first.threshold)) != nil
        else { throw .malformed }
        let isNamed = expected != nil || shares.contains { $0.peerID != nil }
        var found: [PeerID: [[IdentityShare]]] = [:]
        for some in Self.subsets(shares[...], Int(first.threshold)) {
            // If an identity is named, one share at least has to say so.
            guard !isNamed || expected != nil || some.contains(where: { $0.peerID != nil }) else { continue }
            do throws(BackupError) {
                found[try IdentityShare.join(some, expected: expected).peerID, default: []].append(some)
            } catch {
                guard error == .wrongIdentity else { throw error }
            }
        }
        // One combination agrees with itself if it is the only one, or if an identity is named that it joins to.
        let most = found.values.map(\.count).max() ?? 0
        let best = found.filter { $0.value.count == most }
        guard let (id, combinations) = best.first, best.count == 1 else {
            throw isNamed ? .wrongIdentity : .wrongKeyOrDamaged
        }
        peerID = id
        used = combinations[0]
        good = Set(combinations.joined().map(\.index))
        self.isNamed = isNamed
    }

    /// How many combinations there are; nil for more than `maxCombinations`.
    public static func combinations(_ count: Int, _ chosen: Int) -> Int? {
        guard chosen <= count else { return 0 }
        var result = 1
        for step in 0..<min(chosen, count - chosen) {
            result = result * (count - step) / (step + 1)
            guard result <= maxCombinations else { return nil }
        }
        return result
    }

    private static func subsets(_ shares: ArraySlice<IdentityShare>, _ count: Int) -> [[IdentityShare]] {
        guard count > 0 else { return [[]] }
        guard shares.count >= count, let first = shares.first else { return [] }
        return subsets(shares.dropFirst(), count - 1).map { [first] + $0 } + subsets(shares.dropFirst(), count)
    }
}
