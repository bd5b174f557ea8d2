public import Threema

/// What is to be done about an incoming message.
public struct IncomingResult: Equatable, Sendable {
    /// What becomes of the message itself.
    public enum Decision: Equatable, Sendable {
        /// It is authentic and new: process it.
        case deliver(Message)
        /// It has no effect.
        case discard(DiscardReason)
    }

    /// What tells the chat server that the message need not be delivered again.
    public struct Acknowledgement: Equatable, Sendable {
        /// Whom the message came from.
        public let sender: ThreemaID
        /// Its ID.
        public let id: MessageID
    }

    /// What becomes of the message itself.
    public let decision: Decision
    /// Has to be stored together with what processing the message changes, before the acknowledgement is sent. Nil if
    /// nothing is to be stored: the message needs no replay protection, or is not authentic. Nobody but the two parties
    /// can thus fill the memory of nonces.
    public let nonceDigest: NonceDigest?
    /// Is sent last, also for what is discarded. Nil if the sender wants none, or the bytes are no payload.
    public let acknowledgement: Acknowledgement?
}
