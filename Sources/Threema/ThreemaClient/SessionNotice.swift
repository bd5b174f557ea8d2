internal import ThreemaForwardSecurity
public import ThreemaMessages

/// What the user is told about the protection of messages (whitepaper, "Perfect Forward Secrecy").
public enum SessionNotice: Equatable, Sendable {
    /// A session was negotiated.
    case newSession
    /// So many messages before this one are lost.
    case lostMessages(UInt64)
    /// The contact could not read this message. The user decides whether it is sent again: ``Mailbox/sendAgain(_:to:)``.
    case unreadMessage(MessageID)
    /// This message should have been protected by a session, and was not.
    case unprotectedMessage
}

extension SessionNotice {
    init?(_ event: SessionEvent?, _ unprotected: UnprotectedMessage?) {
        switch event {
        case .began, .agreed: self = .newSession
        case .message(_, skipped: let count) where count > 0: self = .lostMessages(count)
        case .rejected(let rejection): self = .unreadMessage(rejection.messageID)
        case .message, .ended, .refused, .refusedSession, .ignored: return nil
        case nil:
            guard unprotected == .downgrade else { return nil }
            self = .unprotectedMessage
        }
    }
}

extension Incoming {
    /// What to tell the user about the protection of messages; nil for nothing.
    public var notice: SessionNotice? { SessionNotice(event, unprotected) }
}
