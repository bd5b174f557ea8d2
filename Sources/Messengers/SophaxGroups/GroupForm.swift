public import Encodings
public import Ratchet
public import SophaxChat

/// How a group speaks. One member that knows old messages only makes everybody's readable by a member that was removed,
/// until its sender re-keys; so a mixed group says so.
public enum GroupForm: Equatable, Sendable {
    /// Every other member has proved version 3, and it is what is sealed.
    case version3
    /// These have not, so the old form is sealed.
    case mixed(without: [PeerID])
}

/// Who has proved version 3, and how. It is stored, so that nobody leads a member back.
struct ProvedForms: Equatable, Sendable {
    /// Most peers that are remembered.
    static let max = 1000

    /// How a peer has proved it.
    enum Proof: UInt8, Sendable {
        /// It has given a chain of version 3. It may seal the old form, because somebody else has not.
        case given = 1
        /// It has sealed a message of version 3: it knew that everybody had.
        case spoken = 2
    }

    private(set) var proofs: [PeerID: Proof] = [:]

    init() {}

    init(_ proofs: [PeerID: Proof]) { self.proofs = proofs }

    func contains(_ peer: PeerID) -> Bool { proofs[peer] != nil }

    /// Remembers a proof, also when the peer is not a member any more, unless more than 1000 peers have proved it: then
    /// some of the former members are forgotten.
    mutating func insert(_ peer: PeerID, _ proof: Proof, members: [PeerID]) {
        if proofs[peer] != .spoken { proofs[peer] = proof }
        while proofs.count > Self.max, let former = Set(proofs.keys).subtracting(members).min() {
            proofs[former] = nil
        }
    }

    /// How a group of these members speaks.
    func form(of members: [PeerID], own: PeerID) -> GroupForm {
        let without = members.filter { $0 != own && !contains($0) }.sorted()
        return without.isEmpty ? .version3 : .mixed(without: without)
    }

    /// Whether a message of the old form may be opened.
    ///
    /// A member that has sealed version 3 does not go back, unless there is a reason that this side sees, too: a third
    /// one that has not proved it, for example a new member.
    func allowsOld(from sender: PeerID, members: [PeerID], own: PeerID) -> Bool {
        guard proofs[sender] == .spoken else { return true }
        return form(of: members.filter { $0 != sender }, own: own) != .version3
    }
}

/// What a member is given: a chain with its transcript. The plain text of a message between two.
public struct GroupDistribution: Sendable {
    /// The group's id, as the sender names it.
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
    /// When it was sent, by the sender's clock; a claim.
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

    /// Whether `left` was received before `right`.
    public static func < (left: DisplayOrder, right: DisplayOrder) -> Bool { left.sequence < right.sequence }
}
