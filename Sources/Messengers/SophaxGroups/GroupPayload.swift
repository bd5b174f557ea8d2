internal import Encodings
internal import Primitives
public import Ratchet
public import SophaxChat

/// A message of a group in either form: the payload of a message of kind `groupMessage`.
///
/// Every other member has to read what is sealed, so a mixed group seals the old form (`SophaxGroup.form`).
public enum GroupPayload: Equatable, Sendable {
    /// Bound to its place.
    case version3(GroupMessage)
    /// Of an app that knows chains by their keys only, or to a group with such an app.
    case old(OldGroupMessage)

    /// Reads a message. Its boxes are not opened.
    /// - Returns: nil if it is malformed, or of another version.
    public init?(parsing bytes: [UInt8]) {
        guard bytes.count <= WireMessage.maxPayload, let read = try? Self.read(Fields(bytes)) else { return nil }
        self = read
    }

    private static func read(_ fields: Fields) throws(FieldError) -> GroupPayload {
        fields.has("v") ? .version3(try GroupMessage(fields)) : .old(try OldGroupMessage(fields))
    }

    /// As JSON: compact, with sorted names.
    public var encoded: [UInt8] {
        switch self {
        case .version3(let message): message.encoded
        case .old(let message): message.encoded
        }
    }

    /// Who claims to have sent it.
    public var sender: PeerID {
        switch self {
        case .version3(let message): message.place.sender
        case .old(let message): message.sender
        }
    }

    /// Under which name a message is kept that comes before its distribution. Its chain is that of the message, and for
    /// all chains of the old form one of zeros; its digest is of the boxes. If a distribution is stored, open what is kept
    /// of its chain and of the other one.
    public var heldName: HeldMessages.Name {
        switch self {
        case .version3(let message): HeldMessages.Name(message.place.chain, iteration, message.boxes.digest)
        case .old(let message): HeldMessages.Name(Self.unnamedChain, iteration, message.boxes.digest)
        }
    }

    /// The chain in the names of all messages of the old form.
    public static let unnamedChain = ChainID([UInt8](repeating: 0, count: ChainID.count))!

    /// Its number on its chain.
    public var iteration: UInt32 {
        switch self {
        case .version3(let message): message.place.iteration
        case .old(let message): message.iteration
        }
    }
}

/// What a message says beside its boxes. The sender's signature is over it, and the boxes are not bound to it.
public struct GroupMessageDetails: Equatable, Sendable {
    /// Longest name of a sender in bytes: 64 characters.
    public static let maxUsername = 256
    /// Longest type of an attachment in bytes.
    public static let maxType = 255
    /// What the sender calls itself; a claim.
    public let username: String
    /// Media type of the attachment.
    public let attachmentType: String?
    /// When the message shall be removed.
    public let expires: AppTime?
    /// The message that it answers; 1 to 64 bytes.
    public let replyTo: String?

    /// Details of a message that has none: an empty name and nothing else.
    public init() { (username, attachmentType, expires, replyTo) = ("", nil, nil, nil) }

    /// - Returns: nil for a wrong length.
    public init?(username: String, attachmentType: String? = nil, expires: AppTime? = nil, replyTo: String? = nil) {
        guard username.utf8.count <= Self.maxUsername, (attachmentType?.utf8.count ?? 0) <= Self.maxType,
            replyTo.map({ Self.ids.contains($0.utf8.count) }) ?? true
        else { return nil }
        (self.username, self.attachmentType, self.expires, self.replyTo) = (username, attachmentType, expires, replyTo)
    }

    /// Lengths of a message's name in bytes.
    static let ids = 1...64

    init(_ fields: Fields) throws(FieldError) {
        username = try fields.text("senderUsername", 0...Self.maxUsername)
        attachmentType = try fields.optional("attachmentMimeType") { name throws(FieldError) in
            try fields.text(name, 0...Self.maxType)
        }
        expires = try fields.optional("expiresAt") { name throws(FieldError) in try fields.time(name) }
        replyTo = try fields.optional("replyToID") { name throws(FieldError) in try fields.text(name, Self.ids) }
    }

    var members: [(String, JSONValue?)] {
        [
            ("senderUsername", .string(username)), ("attachmentMimeType", attachmentType.map { .string($0) }),
            ("expiresAt", expires.map { .time($0) }), ("replyToID", replyTo.map { .string($0) }),
        ]
    }
}

extension GroupBoxes {
    /// - Parameter maxBody: longest plain text of the body's box in bytes.
    init(_ fields: Fields, maxBody: Int) throws(FieldError) {
        self.init(
            body: try fields.bytes("ciphertext", Boxes.overhead...maxBody + Boxes.overhead),
            attachment: try fields.optional("attachmentCiphertext") { name throws(FieldError) in
                try fields.bytes(name, Boxes.overhead...GroupBoxes.maxAttachment + Boxes.overhead)
            })
    }

    /// Tells boxes apart, 32 bytes.
    fileprivate var digest: [UInt8] {
        SHA256.hash((SHA256.hash(body.span) + (attachment.map { SHA256.hash($0.span) } ?? [])).span)
    }

    var members: [(String, JSONValue?)] {
        [("ciphertext", .base64(body)), ("attachmentCiphertext", attachment.map { .base64($0) })]
    }
}
