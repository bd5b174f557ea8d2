internal import Encodings
internal import Primitives
public import Ratchet
public import SophaxChat
internal import SecureMemory

// What the boxes of a group's message of version 3 are bound to:
//
//   label ‖ length (1) ‖ groupID ‖ length (1) ‖ senderID ‖ chainID (16) ‖ generation (4) ‖ iteration (4) ‖ prev (32)
//
//   label   SophaxChat_Group_v3 for the body, SophaxChat_GroupAttachment_v3 for the attachment
//
// The transcript of a sender's chain:
//
//   h₀    SHA-256(SophaxChat_Transcript_v3 ‖ chainID)
//   hₙ₊₁  SHA-256(hₙ ‖ body box), and with an attachment
//         SHA-256(SophaxChat_Transcript_v3 ‖ hₙ ‖ SHA-256(body box) ‖ SHA-256(attachment box))
//   prev  hₙ
//
// Old messages have neither: their boxes have no AAD.

/// Where a message of a group stands. Everything of it is authenticated with the boxes.
public struct GroupPlace: Equatable, Sendable {
    /// Longest name of a group in bytes.
    public static let maxGroup = 255
    /// The group's name, 1 to 255 bytes.
    public let group: String
    /// Who has signed the message.
    public let sender: PeerID
    /// The sender's chain, whose key opens the message.
    public let chain: ChainID
    /// Chains that the sender has had before.
    public let generation: UInt32
    /// The number of the message on the chain.
    public let iteration: UInt32
    /// The transcript before the message, 32 bytes.
    public let previous: [UInt8]

    /// - Returns: nil for a wrong length.
    public init?(
        group: String, sender: PeerID, chain: ChainID, generation: UInt32, iteration: UInt32, previous: [UInt8]
    ) {
        guard (1...Self.maxGroup).contains(group.utf8.count), previous.count == SHA256.count else { return nil }
        self.group = group
        self.sender = sender
        self.chain = chain
        self.generation = generation
        self.iteration = iteration
        self.previous = previous
    }

    /// Which box.
    package enum Part: String {
        case body = "SophaxChat_Group_v3"
        case attachment = "SophaxChat_GroupAttachment_v3"
    }

    package func additionalData(_ part: Part) -> [UInt8] {
        var bytes = Array(part.rawValue.utf8)
        bytes.appendShort(Array(group.utf8))
        bytes.appendShort(sender.bytes)
        bytes += chain.bytes
        bytes.appendNumber(generation)
        bytes.appendNumber(iteration)
        return bytes + previous
    }

    /// Seals the parts of a message under its key.
    func seal(_ body: [UInt8], attachment: [UInt8]?, key: HeldKey) -> GroupBoxes {
        GroupBoxes(
            body: Boxes.seal(body.span, key: key.bytes, data: additionalData(.body)),
            attachment: attachment.map { Boxes.seal($0.span, key: key.bytes, data: additionalData(.attachment)) })
    }

    /// Opens the parts of a message: both or none.
    func open(_ boxes: GroupBoxes, key: HeldKey) throws(AuthenticationError) -> (body: [UInt8], attachment: [UInt8]?) {
        let body = try Boxes.open(boxes.body, key: key.bytes, data: additionalData(.body), life: .brief).revealBytes()
        guard let box = boxes.attachment else { return (body, nil) }
        return (
            body, try Boxes.open(box, key: key.bytes, data: additionalData(.attachment), life: .brief).revealBytes()
        )
    }
}

/// The boxes of a group's message.
public struct GroupBoxes: Equatable, Sendable {
    /// Longest body in bytes.
    public static let maxBody = 1 << 20
    /// Longest attachment in bytes.
    public static let maxAttachment = 512 * 1024
    /// The box of the body.
    public let body: [UInt8]
    /// The box of the attachment.
    public let attachment: [UInt8]?

    /// Lengths are checked where a message is read.
    public init(body: [UInt8], attachment: [UInt8]? = nil) {
        self.body = body
        self.attachment = attachment
    }
}

/// The hashes of a sender's chain.
enum Transcript {
    private static let label = Array("SophaxChat_Transcript_v3".utf8)

    /// Before the first message, 32 bytes.
    static func start(_ chain: ChainID) -> [UInt8] { SHA256.hash((label + chain.bytes).span) }

    /// After a message, 32 bytes.
    static func next(_ hash: [UInt8], _ boxes: GroupBoxes) -> [UInt8] {
        guard let attachment = boxes.attachment else { return SHA256.hash((hash + boxes.body).span) }
        return SHA256.hash(
            (label + hash + SHA256.hash(boxes.body.span) + SHA256.hash(attachment.span)).span)
    }
}
