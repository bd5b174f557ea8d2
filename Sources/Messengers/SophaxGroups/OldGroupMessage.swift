internal import Encodings
internal import Primitives
internal import Ratchet
public import SophaxChat
internal import SecureMemory

// A message of the old form, JSON (the app's `groupMessage`):
//
//   groupID                the group's name, 1 to 255 bytes
//   messageID              1 to 64 bytes
//   senderPeerID           who has signed it
//   senderUsername         what the sender calls itself
//   timestamp              seconds since 2001
//   ciphertext             Base64 of the box of the body, without AAD
//   senderKeyIteration     number on the sender's chain
//   attachmentCiphertext   Base64 of the box of the attachment, under the same key; optional
//   attachmentMimeType, expiresAt, replyToID   optional
//
// It has no v. Nothing binds a box to its place but the key, which all members have: only the signature says who sent
// it, and no transcript says whether messages are missing or were exchanged.

/// A message of a group in the old form.
public struct OldGroupMessage: Equatable, Sendable {
    /// The group's name, 1 to 255 bytes.
    public let group: String
    /// Who has signed the message.
    public let sender: PeerID
    /// Number on a chain of the sender.
    public let iteration: UInt32
    /// Names the message; 1 to 64 bytes.
    public let id: String
    /// The sender's clock; a claim.
    public let time: AppTime
    /// The sender's name, the attachment's type, the expiry and the message that it answers.
    public let details: GroupMessageDetails
    /// The sealed body, and the sealed attachment if there is one.
    public let boxes: GroupBoxes

    init(
        group: String, sender: PeerID, iteration: UInt32, id: String, time: AppTime, details: GroupMessageDetails,
        boxes: GroupBoxes
    ) {
        self.group = group
        self.sender = sender
        self.iteration = iteration
        self.id = id
        self.time = time
        self.details = details
        self.boxes = boxes
    }

    /// Reads what messages of both forms have.
    /// - Parameter maxBody: longest plain text of the body's box in bytes.
    init(_ fields: Fields, maxBody: Int = GroupBoxes.maxBody) throws(FieldError) {
        self.init(
            group: try fields.text("groupID", 1...GroupPlace.maxGroup), sender: try fields.peer("senderPeerID"),
            iteration: try fields.integer("senderKeyIteration", as: UInt32.self),
            id: try fields.text("messageID", GroupMessageDetails.ids), time: try fields.time("timestamp"),
            details: try GroupMessageDetails(fields), boxes: try GroupBoxes(fields, maxBody: maxBody))
    }

    var encoded: [UInt8] { Fields.object(members) }

    /// The members of a message, of both forms.
    var members: [(String, JSONValue?)] {
        [
            ("groupID", .string(group)), ("messageID", .string(id)), ("senderPeerID", .string(sender.description)),
            ("timestamp", .time(time)), ("senderKeyIteration", .number(iteration)),
        ] + details.members + boxes.members
    }
}

extension GroupBoxes {
    /// Seals the parts of a message of the old form under its key.
    static func sealOld(_ body: [UInt8], attachment: [UInt8]?, key: HeldKey) -> GroupBoxes {
        GroupBoxes(
            body: Boxes.seal(body.span, key: key.bytes, data: []),
            attachment: attachment.map { Boxes.seal($0.span, key: key.bytes, data: []) })
    }

    /// Opens the parts of a message of the old form: both or none.
    func openOld(key: HeldKey) throws(AuthenticationError) -> (body: [UInt8], attachment: [UInt8]?) {
        let body = try Boxes.open(body, key: key.bytes, data: [], life: .brief).revealBytes()
        guard let attachment else { return (body, nil) }
        return (body, try Boxes.open(attachment, key: key.bytes, data: [], life: .brief).revealBytes())
    }
}
