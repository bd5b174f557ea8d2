internal import Encodings
internal import Primitives
internal import Ratchet
public import SophaxChat

/// A message of a group, version 3. It has the members of the old form, and `v`, `chainID`, `generation` and `prev`.
public struct GroupMessage: Equatable, Sendable {
    /// Group, sender, chain, generation, number, transcript.
    public let place: GroupPlace
    /// Names the message; 1 to 64 bytes.
    public let id: String
    /// The sender's clock; a claim.
    public let time: AppTime
    /// The sender's name, the attachment's type, the expiry and the message that it answers.
    public let details: GroupMessageDetails
    /// The sealed body, and the sealed attachment if there is one.
    public let boxes: GroupBoxes

    init(
        place: GroupPlace, id: String, time: AppTime, details: GroupMessageDetails = GroupMessageDetails(),
        boxes: GroupBoxes
    ) {
        self.place = place
        self.id = id
        self.time = time
        self.details = details
        self.boxes = boxes
    }

    init(_ fields: Fields) throws(FieldError) {
        guard try fields.integer("v", as: Int.self) == 3,
            let chain = ChainID(try fields.bytes("chainID", ChainID.count)),
            let place = GroupPlace(
                group: try fields.text("groupID", 1...GroupPlace.maxGroup), sender: try fields.peer("senderPeerID"),
                chain: chain, generation: try fields.integer("generation", as: UInt32.self),
                iteration: try fields.integer("senderKeyIteration", as: UInt32.self),
                previous: try fields.bytes("prev", 32))
        else { throw .field("v") }
        self.init(
            place: place, id: try fields.text("messageID", GroupMessageDetails.ids), time: try fields.time("timestamp"),
            details: try GroupMessageDetails(fields), boxes: try GroupBoxes(fields, maxBody: GroupContent.maxCount))
    }

    var encoded: [UInt8] {
        Fields.object(
            [
                ("v", 3), ("groupID", .string(place.group)), ("messageID", .string(id)),
                ("senderPeerID", .string(place.sender.description)), ("timestamp", .time(time)),
                ("chainID", .base64(place.chain.bytes)), ("generation", .number(place.generation)),
                ("senderKeyIteration", .number(place.iteration)), ("prev", .base64(place.previous)),
            ] + details.members + boxes.members)
    }
}
