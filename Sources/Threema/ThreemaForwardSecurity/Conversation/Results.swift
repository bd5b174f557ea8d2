public import SecureMemory
public import ThreemaMessages

/// A message that is ready to be stored and sent.
public struct Sealed: ~Copyable {
    /// What protects it; nil if it was sealed without forward security.
    public let protection: DHMode?
    /// To be stored. The message is the last one of `queued`.
    public let commit: Commit

    init(protection: DHMode?, commit: consuming Commit) {
        self.protection = protection
        self.commit = commit
    }
}

/// What an envelope has brought: a message, a step of a session, or both.
public struct Received: ~Copyable {
    /// What it has meant for the sessions.
    public let event: SessionEvent
    /// Type and body of the message in it; nil for all other events. Give it to the pipeline.
    public let inner: SecureBytes?
    /// To be stored together with what the message changes, before it is acknowledged. Also if the pipeline discards
    /// the message.
    public let commit: Commit

    init(_ outcome: consuming Outcome, _ commit: consuming Commit) {
        event = outcome.event
        inner = outcome.inner
        self.commit = commit
    }
}

/// What it means that a message came without forward security.
public enum UnprotectedMessage: Equatable, Sendable {
    /// No session with the contact protects messages of this type.
    case expected
    /// There is no session. If the contact supports forward security, begin one.
    case noSession
    /// The contact should have protected it. Tell the user, and ask the directory for the contact's features.
    case downgrade
}

extension Conversation {
    /// Judges a message that came without an envelope. It is delivered in any case: the contact may have lost its
    /// session.
    public func judge(unprotected type: MessageType) -> UnprotectedMessage {
        guard let minimum = type.minimumVersion else { return .expected }
        func judge(_ session: borrowing Session) -> UnprotectedMessage {
            switch session.state {
            // The contact may not have the session yet.
            case .L20: .expected
            // It has, but perhaps not the Accept.
            case .R20, .R24: minimum <= .v1_0 ? .downgrade : .expected
            case .L44, .R44: minimum <= session.incomingMinimum ? .downgrade : .expected
            }
        }
        return switch sessions.best {
        case .local: sessions.local.lend(judge) ?? .noSession
        case .remote: sessions.remote.lend(judge) ?? .noSession
        case nil: .noSession
        }
    }
}

extension Received {
    /// Answers the pipeline's step `.unwrap` with the message in the envelope, or with none.
    /// - Returns: the next step.
    public func answer(_ pipeline: inout IncomingPipeline) -> IncomingPipeline.Step {
        switch inner {
        case .some(let inner): inner.withBytes { pipeline.answer(unwrapped: $0) }
        case .none: pipeline.answer(unwrapped: nil)
        }
    }
}
