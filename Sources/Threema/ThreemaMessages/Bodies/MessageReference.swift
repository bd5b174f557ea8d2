internal import Encodings
internal import SecureMemory

// Reaction (0x82, 0x83), edit (0x91, 0x93) and delete (0x92, 0x94) are Protocol Buffers that begin alike:
//
//     1  fixed64  ID of the message that is meant
//     …           what is done with it

/// A change of an earlier message.
public struct MessageReference: Equatable, Sendable {
    /// The message that is meant.
    public let messageID: MessageID
    /// The other fields as they stand in the message, to be read by who knows them.
    public let otherFields: [UInt8]

    /// - Parameter otherFields: Protocol Buffers without field 1.
    public init(_ messageID: MessageID, otherFields: [UInt8] = []) {
        self.messageID = messageID
        self.otherFields = otherFields
    }

    /// - Throws: `.protobuf` if it is malformed or field 1 is missing or of another type.
    init(decoding bytes: Span<UInt8>) throws(MessageBodyError) {
        var id: UInt64?
        var others: [UInt8] = []
        var position = 0
        do throws(ProtobufError) {
            var start = 0
            while let field = try ProtobufWire.next(bytes, at: &position) {
                switch field {
                case .fixed64(number: 1, let value): id = value
                case .varint(number: 1, _), .bytes(number: 1, _), .fixed32(number: 1, _): throw .malformed
                default: others += bytes.publicBytes(start..<position)
                }
                start = position
            }
        } catch {
            throw .protobuf
        }
        guard let id else { throw .protobuf }
        messageID = MessageID(id)
        otherFields = others
    }

    func encode(into body: inout BodyWriter) throws(MessageBodyError) {
        try body.append(0x09)
        try body.append(messageID.bytes)
        try body.append(otherFields)
    }
}
