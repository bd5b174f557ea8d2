public import ThreemaMessages

/// A message that waits in the outbox.
public struct OutboxMessage: Equatable, Sendable {
    /// Its place in the order of sending to its receiver.
    public let number: UInt64
    /// For the chat server. These bytes are sent, and no others, until it acknowledges them.
    public let payload: MessagePayload
}
