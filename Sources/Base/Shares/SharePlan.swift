public import SecureMemory

/// How a secret is shared.
public struct SharePlan: Equatable, Sendable {
    /// A group of shares.
    public struct Group: Equatable, Sendable {
        /// How many of them are needed.
        public let threshold: UInt8
        /// How many there are.
        public let count: UInt8

        /// A group of `count` shares, of which `threshold` are needed. `SharePlan` judges the numbers.
        public init(threshold: UInt8, count: UInt8) {
            self.threshold = threshold
            self.count = count
        }
    }

    /// How many groups are needed.
    public let groupThreshold: UInt8
    /// All groups.
    public let groups: [Group]
    /// Whether the identifier has no part in the sealing of the secret. Older programs know only sets in which it has.
    public let isExtendable: Bool
    /// Sealing and joining take 10,000 · 2^exponent iterations.
    public let iterationExponent: UInt8

    /// Several groups, each with shares of its own.
    /// - Parameters:
    ///   - groupThreshold: 1 to the number of groups, which is at most 16.
    ///   - groups: in each 1 of 1, or 2 to 16 of at most 16.
    ///   - iterationExponent: 0 to 15.
    /// - Throws: `.threshold`, `.iterationExponent`.
    public init(
        groupThreshold: UInt8, groups: [Group], isExtendable: Bool = true, iterationExponent: UInt8 = 1
    ) throws(SharePlanError) {
        let range: ClosedRange<Int> = 1...16
        guard range.contains(groups.count), groupThreshold >= 1, groupThreshold <= groups.count else {
            throw .threshold(groupThreshold, of: groups.count)
        }
        for group in groups {
            guard group.threshold >= 1, group.threshold <= group.count, range.contains(Int(group.count)),
                group.threshold > 1 || group.count == 1
            else { throw .threshold(group.threshold, of: Int(group.count)) }
        }
        guard iterationExponent < 16 else { throw .iterationExponent(iterationExponent) }
        self.groupThreshold = groupThreshold
        self.groups = groups
        self.isExtendable = isExtendable
        self.iterationExponent = iterationExponent
    }

    /// One group: so many of so many shares.
    /// - Throws: `.threshold`.
    public init(threshold: UInt8, count: UInt8) throws(SharePlanError) {
        try self.init(groupThreshold: 1, groups: [Group(threshold: threshold, count: count)])
    }

    /// Shares a secret.
    /// - Parameters:
    ///   - secret: an even number of bytes, 16 to 256.
    ///   - passphrase: printable characters of ASCII, which joining needs, too; empty for none. Another passphrase joins
    ///     to another secret, and nothing tells.
    /// - Returns: for each group its shares.
    /// - Throws: `.secretCount`, `.passphrase`.
    public func split(
        _ secret: borrowing SecureBytes, passphrase: Span<UInt8> = Span()
    ) throws(SharePlanError) -> [[Share]] {
        try split(
            secret, passphrase: passphrase, identifier: UInt16(Random.number(below: 1 << 15)),
            random: { Random.secret($0) })
    }

    /// - Parameters:
    ///   - identifier: below 2^15.
    ///   - random: makes so many random bytes.
    package func split(
        _ secret: borrowing SecureBytes, passphrase: Span<UInt8>, identifier: UInt16,
        random: (Int) -> SecureBytes
    ) throws(SharePlanError) -> [[Share]] {
        let count = secret.count
        guard (ShareLayout.minSecretCount...ShareLayout.maxSecretCount).contains(count), count.isMultiple(of: 2) else {
            throw .secretCount(count)
        }
        guard
            let cipher = SecretCipher(
                passphrase: passphrase, identifier: identifier, isExtendable: isExtendable,
                iterationExponent: iterationExponent)
        else { throw .passphrase }
        let set = ShareSet(
            identifier: identifier, isExtendable: isExtendable, iterationExponent: iterationExponent,
            groupThreshold: groupThreshold, groupCount: UInt8(groups.count), secretCount: count)
        let sealed = HeldValue(cipher.seal(secret))
        let values = Polynomial.split(sealed, threshold: groupThreshold, count: groups.count, random: random)
        return groups.enumerated().map { number, group in
            Polynomial.split(values[number], threshold: group.threshold, count: Int(group.count), random: random)
                .enumerated().map { index, value in
                    Share(
                        set: set, group: UInt8(number), index: UInt8(index), threshold: group.threshold, value: value)
                }
        }
    }
}
