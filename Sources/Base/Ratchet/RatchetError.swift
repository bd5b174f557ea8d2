/// Why a step was refused. Then nothing has changed.
public enum RatchetError: Error, Equatable, Sendable {
    /// A public key has not 32 bytes, or is of low order, which is nobody's key.
    case weakKey
    /// The responder has to receive a message first.
    case notYetReceived
    /// The sending chain has as many messages as it may have. It ends with the next message that is received.
    case chainExhausted
    /// A message with this number on this chain was received already, or its key was removed.
    case duplicate
    /// More messages are missing than may be skipped.
    case tooManySkipped
    /// The message has the last number, which none may have.
    case numberTooHigh
    /// The content is longer than `limit` bytes, the most that a session of this messenger seals.
    case tooLong(limit: Int)
    /// No header key opens the header.
    case unknownHeader
    /// The key of this message does not open the body.
    case notAuthentic
}
