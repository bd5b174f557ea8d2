public import ThreemaMessages

// The body of a message of type 0xa0, Protocol Buffers ("csp-e2e-fs", Envelope):
//
//   1  bytes         session ID, 16 bytes
//   then one of
//   2  Init          1 bytes FSSK, 32 bytes; 2 VersionRange
//   3  Accept        as Init
//   4  Reject        1 fixed64 message ID; 2 cause; 3 GroupIdentity
//   5  Terminate     1 cause
//   6  Encapsulated  1 DH type; 2 counter; 3 encrypted inner message; 4 offered version; 5 applied version;
//                    6 GroupIdentity
//
//   VersionRange     1 uint32 minimum; 2 uint32 maximum
//   GroupIdentity    1 fixed64 group ID; 2 string creator
//
// A number that is 0 is left out. A missing VersionRange is 1.0 to 1.0.

/// What two sides of a session tell each other.
public struct Envelope: Equatable, Sendable {
    /// The session that is meant.
    public let session: SessionID
    /// What is said of it.
    public let content: Content

    /// What an envelope says of its session.
    public enum Content: Equatable, Sendable {
        /// Init: the sender begins the session.
        case initiate(KeyShare)
        /// Accept: the receiver of an Init agrees.
        case accept(KeyShare)
        /// Reject: a message could not be opened, and has to be sent again.
        case reject(Rejection)
        /// Terminate: the sender has no such session any more.
        case terminate(TerminateCause)
        /// A message.
        case encapsulated(Encapsulated)
    }

    /// Most bytes of an envelope: the chat server's messages are not longer.
    public static let maxCount = MessagePayload.maxCount

    /// Puts the two together.
    public init(session: SessionID, content: Content) {
        self.session = session
        self.content = content
    }
}

/// One side's part of the key agreement.
public struct KeyShare: Equatable, Sendable {
    /// Length of `publicKey` in bytes.
    public static let count = 32

    /// The public key of the sender's ephemeral pair (FSSK), 32 bytes. It is not checked.
    public let publicKey: [UInt8]
    /// The versions that the sender supports. The session takes the highest that both do.
    public let versions: VersionRange

    /// - Parameter publicKey: 32 bytes.
    public init(publicKey: [UInt8], versions: VersionRange) {
        precondition(publicKey.count == Self.count)
        self.publicKey = publicKey
        self.versions = versions
    }
}

/// Which message was not opened, and why.
public struct Rejection: Equatable, Sendable {
    /// The ID of the message that was not opened.
    public let messageID: MessageID
    /// Why it was not opened.
    public let cause: RejectCause
    /// Its group; nil for a message between two people, and if the envelope did not name the group.
    public let group: GroupIdentity?

    /// Puts the parts together.
    public init(messageID: MessageID, cause: RejectCause, group: GroupIdentity?) {
        self.messageID = messageID
        self.cause = cause
        self.group = group
    }
}

/// A message that is encrypted under a key of the session.
public struct Encapsulated: Equatable, Sendable {
    /// Which keys have encrypted it.
    public let mode: DHMode
    /// The counter of the chain key, from 1.
    public let counter: UInt64
    /// The newest version that the sender supports.
    public let offered: Version
    /// The version that the sender has followed.
    public let applied: Version
    /// The group of the message; nil for a message between two people.
    public let group: GroupIdentity?
    /// tag ‖ ciphertext of type and body.
    public let box: [UInt8]

    /// Puts the parts together.
    public init(
        mode: DHMode, counter: UInt64, offered: Version, applied: Version, group: GroupIdentity?, box: [UInt8]
    ) {
        self.mode = mode
        self.counter = counter
        self.offered = offered
        self.applied = applied
        self.group = group
        self.box = box
    }
}

/// How many ephemeral keys protect a message.
public enum DHMode: UInt64, Sendable {
    /// Only the sender's. A later theft of the receiver's private key reveals the message.
    case twoDH = 0
    /// Those of both sides.
    case fourDH = 1
}

/// Why a message was rejected. A number that this library does not know is read as `stateMismatch`.
public enum RejectCause: UInt64, CaseIterable, Sendable {
    /// The session has no key for the message, or the message does not open.
    case stateMismatch = 0
    /// The receiver does not have the session.
    case unknownSession = 1
    /// The receiver has turned forward security off.
    case disabled = 2
}

/// Why a session has ended. A number that this library does not know is read as `unknownSession`.
public enum TerminateCause: UInt64, CaseIterable, Sendable {
    /// The sender does not have the session that was accepted.
    case unknownSession = 0
    /// The sender begins again: it has lost its keys, or may have used them elsewhere.
    case reset = 1
    /// The sender has turned forward security off.
    case disabledByLocal = 2
    /// The receiver's client does not support forward security.
    case disabledByRemote = 3
}

/// Why bytes are not an envelope.
public enum EnvelopeError: Error, Equatable, Sendable {
    case tooLong(limit: Int, actual: Int)
    /// Not Protocol Buffers, or a known field of another type.
    case protobuf
    /// The session ID is missing or has another length.
    case sessionID(actual: Int)
    /// None of the five contents is there.
    case noContent
    /// The public key is missing or has another length.
    case publicKey(actual: Int)
    /// A version has more than 16 bits, or the range is empty.
    case versions
    /// The DH type is neither 0 nor 1.
    case mode(UInt64)
    /// The creator of the group is not an ID.
    case creator
}
