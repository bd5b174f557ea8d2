public import Threema

/// Why an incoming message is not delivered. The cases stand in the order of the checks.
public enum DiscardReason: Error, Equatable, Sendable {
    /// The bytes are no payload.
    case payload(MessagePayloadError)
    /// The nonce was used before, by this contact, another one, or the receiver: a replay.
    case nonceReused
    /// The payload names another receiver.
    case notForMe(ThreemaID)
    /// The payload names the receiver as its sender.
    case fromMe
    /// The sender is unknown to contacts and directory, or was revoked, or has a public key that is none.
    case invalidSender
    /// The metadata box does not open, or holds no metadata.
    case metadata(MessageError)
    /// The message box does not open, or holds no type and padding.
    case box(MessageError)
    /// The type is 0xff, which no message has.
    case refusedType
    /// The type is unknown.
    case unknownType(UInt8)
    /// Only one certain sender may send this type.
    case notFromThisSender(MessageType)
    /// The body is not one of its type.
    case body(MessageBodyError)
    /// The envelope of forward security holds no message, or none that opens.
    case forwardSecurity
    /// The message in the envelope is an envelope itself.
    case nestedEnvelope
    /// The metadata has another message ID than the payload.
    case idMismatch
    /// A message with this ID was received before, under another nonce.
    case duplicate
    /// The sender is blocked, and the message is not one of a group.
    case blocked
}
