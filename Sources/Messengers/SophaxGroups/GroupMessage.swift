internal import Encodings
internal import Primitives
internal import Ratchet
public import SophaxChat

/// A message of a group, version 3: the payload of a message of kind `groupMessage`.
public struct GroupMessage: Equatable, Sendable {
    /// Group, sender, chain, generation, number, transcript.
    public let place: GroupPlace
    /// Names the message; 1 to 64 bytes.
    public let id: String
    /// The sender's clock; a claim.
    public let time: AppTime
    /// The boxes.
    public let boxes: GroupBoxes

    init(place: GroupPlace, id: String, time: AppTime, boxes: GroupBoxes) {
        self.place = place
        self.id = id
        self.time = time
        self.boxes = boxes
    }

    /// Reads a message. Its boxes are not opened.
    /// - Returns: nil if it is malformed, or of the old form.
    public init?(parsing bytes: [UInt8]) {
        guard bytes.count <= WireMessage.maxPayload, let read = try? Self(Fields(bytes)) else { return nil }
        self = read
    }

    private init(_ fields: Fields) throws(FieldError) {
        guard try fields.integer("v", as: Int.self) == 3,
            let chain = ChainID(try fields.bytes("chainID", ChainID.count)),
            let place = GroupPlace(
                group: try fields.text("groupID", 1...GroupPlace.maxGroup), sender: try fields.peer("senderPeerID"),
                chain: chain, generation: try fields.integer("generation", as: UInt32.self),
                iteration: try fields.integer("senderKeyIteration", as: UInt32.self),
                previous: try fields.bytes("prev", 32))
        else { throw .field("v") }
        self.place = place
        id = try fields.text("messageID", 1...64)
        time = try fields.time("timestamp")
        boxes = GroupBoxes(
            body: try fields.bytes("ciphertext", Boxes.overhead...GroupBoxes.maxBody + Boxes.overhead),
            attachment: try fields.optional("attachmentCiphertext") { name throws(FieldError) in
                try fields.bytes(name, Boxes.overhead...GroupBoxes.maxAttachment + Boxes.overhead)
            })
    }

    /// As JSON.
    public var encoded: [UInt8] {
        Fields.object([
            ("v", 3), ("groupID", .string(place.group)), ("messageID", .string(id)),
            ("senderPeerID", .string(place.sender.description)), ("timestamp", .time(time)),
            ("ciphertext", .base64(boxes.body)), ("attachmentCiphertext", boxes.attachment.map { .base64($0) }),
            ("chainID", .base64(place.chain.bytes)), ("generation", .number(place.generation)),
            ("senderKeyIteration", .number(place.iteration)), ("prev", .base64(place.previous)),
        ])
    }
}
