/// Which layer of a message refused. Nothing here holds a piece of the message.
public enum MessageError: Error, Equatable, Sendable {
    /// The metadata box does not open: another key, or altered bytes.
    case metadataNotAuthentic
    /// The metadata box opens, but holds no metadata.
    case metadata
    /// The message box does not open: another key, or altered bytes.
    case notAuthentic
    /// The metadata has another message ID than the payload: the server has changed that, or an older message.
    case idMismatch
    /// The message box opens, but type or padding are missing.
    case container
    /// The type is 0xff. No message has it: the keyed hash by which clients once logged in could be taken for one.
    case refusedType
    /// The type is none that is known.
    case unknownType(UInt8)
    /// The body is not one of its type.
    case body(MessageBodyError)
}
