public import Encodings
public import Ratchet
public import SophaxChat

/// How a group speaks. One member that knows old messages only makes everybody's readable by a member that was removed,
/// until its sender re-keys; so a mixed group says so.
public enum GroupForm: Equatable, Sendable {
    /// Every other member has proved version 3.
    case version3
    /// These have not.
    case mixed(without: [PeerID])

    /// - Parameters:
    ///   - members: all, with this side.
    ///   - proved: those whose signed messages of version 3 have been opened; it is stored. A program may forget some of
    ///     the former members.
    public init(members: [PeerID], own: PeerID, proved: Set<PeerID>) {
        let without = members.filter { $0 != own && !proved.contains($0) }.sorted()
        self = without.isEmpty ? .version3 : .mixed(without: without)
    }

    /// Whether a message of the old form may be opened.
    /// - Returns: false from a member that is known to have proved version 3.
    public static func allowsOld(from sender: PeerID, proved: Set<PeerID>) -> Bool { !proved.contains(sender) }
}

/// What a member is given: a chain with its transcript. The plain text of a message between two.
public struct GroupDistribution: Sendable {
    /// The group.
    public let group: String
    /// Chain, generation, position and key.
    public let chain: ChainDistribution
    /// The transcript at that position, 32 bytes.
    public let transcript: [UInt8]

    /// All values are checked where they are used.
    public init(group: String, chain: ChainDistribution, transcript: [UInt8]) {
        self.group = group
        self.chain = chain
        self.transcript = transcript
    }
}

/// Order of a group's messages for a view. The sender's clock decides nothing.
public struct DisplayOrder: Comparable, Sendable {
    /// A sender's time is flagged if it is further from the receipt.
    public static let allowedSkew: Duration = .seconds(300)
    /// When the message was received here.
    public let received: Timestamp
    /// Number of the receipt here: two messages may have come in one millisecond.
    public let sequence: UInt64
    /// What the sender says.
    public let claimed: Timestamp

    /// All values are valid.
    public init(received: Timestamp, sequence: UInt64, claimed: Timestamp) {
        self.received = received
        self.sequence = sequence
        self.claimed = claimed
    }

    /// Whether the sender's time is more than 300 seconds from the receipt.
    public var isSkewed: Bool {
        let difference = claimed - received
        return difference > Self.allowedSkew || difference < .zero - Self.allowedSkew
    }

    /// By receipt.
    public static func < (left: DisplayOrder, right: DisplayOrder) -> Bool { left.sequence < right.sequence }
}
