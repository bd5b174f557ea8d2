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
        let common = try OldGroupMessage(fields, maxBody: GroupContent.maxCount)
        guard try fields.integer("v", as: Int.self) == 3,
            let chain = ChainID(try fields.bytes("chainID", ChainID.count)),
            let place = GroupPlace(
                group: common.group, sender: common.sender, chain: chain,
                generation: try fields.integer("generation", as: UInt32.self), iteration: common.iteration,
                previous: try fields.bytes("prev", 32))
        else { throw .field("v") }
        self.init(place: place, id: common.id, time: common.time, details: common.details, boxes: common.boxes)
    }

    var encoded: [UInt8] {
        let common = OldGroupMessage(
            group: place.group, sender: place.sender, iteration: place.iteration, id: id, time: time, details: details,
            boxes: boxes)
        return Fields.object(
            [
                ("v", 3), ("chainID", .base64(place.chain.bytes)), ("generation", .number(place.generation)),
                ("prev", .base64(place.previous)),
            ] + common.members)
    }
}
