public import SecureMemory
public import Threema
public import ThreemaMessages

/// Everything that a step has to store, in one transaction, before anything is sent or acknowledged.
///
/// Until then the step has not happened: if the transaction fails, read the stored record again. Nothing of this value
/// may be sent then, because the next step uses its keys again.
public struct Commit: ~Copyable {
    /// The contact, whose ID is the name of the record.
    public let contact: ThreemaID
    /// Replaces the contact's record. It holds the keys of the sessions.
    public let record: SecureBytes
    /// Messages to be stored in the outbox, and then sent in this order.
    public let queued: [QueuedMessage]
    /// Names of messages to be removed from the outbox.
    public let removed: [[UInt8]]
    /// Nonces to be remembered: of the messages in `queued`, and of the received one.
    public let nonceDigests: [NonceDigest]

    /// The nonces to be remembered, with that of the pipeline's result, which may be one of this step.
    public func nonceDigests(with result: IncomingResult) -> [NonceDigest] {
        guard let digest = result.nonceDigest, !nonceDigests.contains(digest) else { return nonceDigests }
        return nonceDigests + [digest]
    }
}

/// A message in the outbox. It is sent with these bytes until the chat server acknowledges it, whatever happens.
public struct QueuedMessage: Equatable, Sendable {
    /// Its place in the order of sending.
    public let number: UInt64
    /// Its name in a store: contact's ID and number, 16 bytes.
    public let name: [UInt8]
    /// The message to send, which holds the envelope.
    public let payload: MessagePayload

    init(_ number: UInt64, to contact: ThreemaID, _ payload: MessagePayload) {
        self.number = number
        name = Conversation.outboxName(contact, number)
        self.payload = payload
    }
}
