public import Encodings
internal import Primitives
@_spi(GivenKeys) package import Ratchet
public import SecureMemory

/// What a session sends, and the type that the server's requests give it.
public enum OutgoingMessage: Equatable, Sendable {
    /// Type 1.
    case whisper(WhisperMessage)
    /// Type 3, until the first answer.
    case preKeyWhisper(PreKeyWhisperMessage)

    /// The message as it is on the wire.
    public var bytes: [UInt8] {
        switch self {
        case .whisper(let message): message.bytes
        case .preKeyWhisper(let message): message.bytes
        }
    }
}

/// A session with a contact's device. It is a value without I/O: store `encoded()` in one transaction with what a step
/// has opened, and before a sealed message leaves. An old session that is restored uses keys twice.
public struct TextSecureSession: ~Copyable, Sendable {
    /// What stands before the first answer around each message.
    struct Pending: Equatable, Sendable {
        let prekeyIDs: PreKeyWhisperMessage.PrekeyIDs
        let registrationID: UInt32
    }

    /// One's own identity key, which the session is bound to.
    public let own: PublicKey33
    /// The contact's identity, which the session is bound to.
    public let peer: PublicKey33
    /// The initiator's key of this session, which names it.
    public let baseKey: PublicKey33
    /// The contact's registration id as it has claimed it; nil if it did not.
    public let peerRegistrationID: UInt32?
    let pending: Pending?
    var ratchet: DoubleRatchet

    init(
        own: PublicKey33, peer: PublicKey33, baseKey: PublicKey33, peerRegistrationID: UInt32?, pending: Pending?,
        ratchet: consuming DoubleRatchet
    ) {
        self.own = own
        self.peer = peer
        self.baseKey = baseKey
        self.peerRegistrationID = peerRegistrationID
        self.pending = pending
        self.ratchet = ratchet
    }

    /// The version, which does not change.
    public var version: SessionVersion { SessionVersion(rawValue: ratchet.suite.id)! }

    /// Whether the contact has not answered yet.
    public var isPending: Bool { pending != nil }

    /// Keys of messages that may still come.
    public var storedCount: Int { ratchet.storedCount }

    /// Seals a body. Store the session before the message leaves. Until the first answer each message is wrapped, so
    /// that any of them can begin the session.
    /// - Throws: `.tooLong`, `.chainExhausted`.
    public mutating func seal(_ body: Span<UInt8>) throws(SessionError) -> OutgoingMessage {
        let limit = WhisperMessage.maxBodyCount
        guard body.count <= limit else { throw .tooLong(limit: limit) }
        let keys: OutgoingKeys
        do { keys = try ratchet.seal() } catch { throw SessionError(error) }
        // A ratchet key that was computed is a public key, and one from a record was checked. The ratchet counts messages,
        // and the wire has the last one's number.
        let message = try WhisperMessage.seal(
            body, version: version, key: keys.messageKey, ratchetKey: PublicKey33(point: keys.header.ratchetKey)!,
            counter: keys.header.number, previousCounter: max(keys.header.previousCount, 1) - 1, from: own, to: peer)
        guard let pending else { return .whisper(message) }
        return .preKeyWhisper(
            try PreKeyWhisperMessage(
                message, prekeyIDs: pending.prekeyIDs, baseKey: baseKey, identity: own,
                registrationID: pending.registrationID))
    }

    /// A message that was opened, and the session after it.
    @frozen
    public struct Opened: ~Copyable, Sendable {
        /// The content of the message, in guarded memory.
        public var plaintext: SecureBytes
        /// Store it with the plaintext in one transaction.
        public var next: TextSecureSession
        /// Messages before it that have not been received.
        public var skipped: Int
    }

    /// Opens a message. The session itself does not change: without `next`, nothing has happened.
    /// - Throws: `.otherVersion`, `.weakKey`, `.replayed`, `.tooFarAhead`, `.numberTooHigh`, `.notAuthentic`.
    public borrowing func open(_ message: WhisperMessage, at now: Timestamp) throws(SessionError) -> Opened {
        try open(message, at: now, ratchetKey: { AgreementKey().held })
    }

    /// Opens another message that the initiator has wrapped before it had an answer.
    /// - Throws: as `open(_:at:)`; `.identityChanged` for another identity than the session's; `.otherSession`
    ///   for a message that has begun another session.
    public borrowing func open(_ message: PreKeyWhisperMessage, at now: Timestamp) throws(SessionError) -> Opened {
        guard message.baseKey == baseKey else { throw .otherSession }
        guard message.identity == peer else { throw .identityChanged(message.identity) }
        return try open(message.message, at: now)
    }

    package borrowing func open(
        _ message: WhisperMessage, at now: Timestamp, ratchetKey: () -> HeldKey
    ) throws(SessionError) -> Opened {
        guard message.version == version else { throw .otherVersion }
        let (own, peer) = (own, peer)
        do {
            let opened = try ratchet.open(.plain(message.header), at: now, ratchetKey: ratchetKey) {
                (key) throws(AuthenticationError) in try message.open(key, from: peer, to: own)
            }
            return next(opened)
        } catch {
            throw SessionError(error)
        }
    }

    /// The contact has answered, so nothing is wrapped any more.
    private borrowing func next(_ opened: consuming OpenedMessage) -> Opened {
        let skipped = opened.skipped
        return Opened(
            plaintext: opened.plaintext,
            next: TextSecureSession(
                own: own, peer: peer, baseKey: baseKey, peerRegistrationID: peerRegistrationID, pending: nil,
                ratchet: opened.next),
            skipped: skipped)
    }
}
