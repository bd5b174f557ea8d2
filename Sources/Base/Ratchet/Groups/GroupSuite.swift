/// The name of a member: its bytes as the messenger has them, 1 to 64.
public struct GroupMember: Hashable, Comparable, Sendable {
    /// Longest name in bytes.
    public static let maxCount = 64
    /// The name, 1 to `maxCount` bytes, as the messenger has it.
    public let bytes: [UInt8]

    /// - Parameter bytes: 1 to 64.
    public init?(_ bytes: [UInt8]) {
        guard (1...Self.maxCount).contains(bytes.count) else { return nil }
        self.bytes = bytes
    }

    /// Whether `left` comes first in byte order.
    public static func < (left: GroupMember, right: GroupMember) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}

/// The name of a sender's chain: 16 random bytes.
public struct ChainID: Hashable, Sendable {
    /// Length in bytes.
    public static let count = 16
    /// The name, 16 bytes. It is not secret.
    public let bytes: [UInt8]

    /// - Parameter bytes: 16.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.count else { return nil }
        self.bytes = bytes
    }
}

/// What one side of a group keeps.
public struct GroupLimits: Sendable {
    /// Most members, with this side.
    public let maxMembers: Int
    /// Most messages that one message may skip.
    public let maxSkipped: Int
    /// Most keys of skipped messages in the group; the oldest are removed.
    public let maxStored: Int
    /// After this time a skipped message's key is removed, and so is a former chain.
    public let maxAge: Duration
    /// Most messages on an own chain.
    public let maxSent: UInt32
    /// The own chain is replaced after this time.
    public let maxChainAge: Duration
    /// How many chains of a sender stay open: the newest, and before it those whose messages may still be on their way.
    public let openChains: Int

    /// - Parameters:
    ///   - maxMembers: 1 to 1000.
    ///   - maxSkipped: 0 to `maxStored`.
    ///   - maxStored: 0 to 10,000.
    ///   - maxSent: 1 to 2³² − 1.
    ///   - openChains: 1 to 16.
    public init(
        maxMembers: Int, maxSkipped: Int, maxStored: Int, maxAge: Duration, maxSent: UInt32, maxChainAge: Duration,
        openChains: Int
    ) {
        precondition((1...1000).contains(maxMembers) && maxSkipped >= 0 && (maxSkipped...10_000).contains(maxStored))
        precondition(maxSent > 0 && (1...16).contains(openChains))
        self.maxMembers = maxMembers
        self.maxSkipped = maxSkipped
        self.maxStored = maxStored
        self.maxAge = maxAge
        self.maxSent = maxSent
        self.maxChainAge = maxChainAge
        self.openChains = openChains
    }
}
