public import Threema
public import ThreemaChat
public import ThreemaForwardSecurity
public import ThreemaMessages

/// What became of one message of the chat server. It is stored.
public struct Incoming: Equatable, Sendable {
    /// Whether the message is delivered or discarded, and why.
    public let result: IncomingResult
    /// The contact who has sent it; nil if the sender is no contact.
    public let sender: ThreemaID?
    /// What its envelope has meant for the sessions with its sender; nil if it came without one.
    public let event: SessionEvent?
    /// Why the rules of groups refuse an authentic message; nil if they accept it, and for messages outside of groups.
    public let refusal: GroupDiscard?
    /// What it means that a delivered message came without an envelope; nil if it had one.
    public let unprotected: UnprotectedMessage?

    /// The message; nil if it was discarded. An envelope that only changes sessions is discarded, too, and so is what
    /// somebody sends to a group without being in it.
    public var message: Message? { refusal == nil ? delivered : nil }

    /// The message, even if the rules of groups refuse it.
    var delivered: Message? {
        guard case .deliver(let message) = result.decision else { return nil }
        return message
    }

    /// What protects the message; nil without forward security.
    public var protection: DHMode? {
        guard case .message(let mode, skipped: _) = event else { return nil }
        return mode
    }

    /// To be sent to the chat server now; nil if it expects nothing.
    public var acknowledgement: ChatPayload? { ChatPayload(acknowledging: result) }
}
