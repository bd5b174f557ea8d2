package import SecureMemory

/// What an envelope has changed, and what is sent in answer.
package struct Outcome: ~Copyable {
    package let event: SessionEvent
    /// What is sent.
    package let outputs: [Output]
    /// Type and body of a message that was opened.
    package let inner: SecureBytes?

    init(_ event: SessionEvent, _ outputs: [Output] = [], inner: consuming SecureBytes? = nil) {
        self.event = event
        self.outputs = outputs
        self.inner = inner
    }
}

/// What an envelope of a contact has meant for the sessions with it.
public enum SessionEvent: Equatable, Sendable {
    /// A message was opened. `skipped` messages before it have not come, and will be refused if they do.
    case message(DHMode, skipped: UInt64)
    /// The contact has begun a session. `replacing`: it has lost the one that was agreed upon before.
    case began(SessionID, replacing: Bool)
    /// The contact has accepted a session. It protects messages with the keys of both sides now.
    case agreed(SessionID)
    /// The contact could not open a message of ours. If it was sent to this contact, seal it again, with its ID. With
    /// the cause `disabled`, first ask the directory for the contact's features.
    case rejected(Rejection)
    /// The contact has ended a session.
    case ended(TerminateCause)
    /// A message was not opened, and the contact is told to send it again.
    case refused(RejectCause)
    /// A session was not begun or agreed upon, and the contact is told so.
    case refusedSession(TerminateCause)
    /// The envelope has no effect.
    case ignored(IgnoredEnvelope)
}

/// Why an envelope has no effect.
public enum IgnoredEnvelope: Equatable, Sendable {
    case malformed(EnvelopeError)
    /// A session that does not exist has ended.
    case unknownSession
    /// A session that exists was begun.
    case knownSession
    /// A session was accepted that was not begun here, or was agreed upon already.
    case unexpectedAccept
    /// The public key of an Init is a point of small order.
    case weakKey
}
