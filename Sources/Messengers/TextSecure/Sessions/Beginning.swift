public import Encodings
@_spi(GivenKeys) public import Ratchet
public import SecureMemory

/// A contact's prekey, as the server hands it out. Nobody has signed it: a server can give one of its own, and only
/// comparing fingerprints shows that.
public struct PeerPrekey: Equatable, Sendable {
    /// The number by which the first message names the prekey.
    public let id: UInt32
    /// The public prekey, 33 bytes.
    public let key: PublicKey33
    /// The contact's identity key, 33 bytes.
    public let identity: PublicKey33

    /// All values are valid.
    public init(id: UInt32, key: PublicKey33, identity: PublicKey33) {
        self.id = id
        self.key = key
        self.identity = identity
    }
}

/// Why an identity is trusted.
public enum IdentityTrust: Equatable, Sendable {
    /// The first one of this contact. Store it as unverified.
    case firstUse
    /// The one that is known.
    case known
}

/// A session that a contact has begun. Store session, prekeys and plaintext in one transaction.
@frozen
public struct BegunSession: ~Copyable, Sendable {
    /// The session after its first message.
    public var session: TextSecureSession
    /// The account's prekeys after it: the used one is removed, and the pool filled if less than half a batch was left.
    /// The last-resort prekey stays.
    public var prekeys: PrekeyPool
    /// Whether the pool was filled: then upload all prekeys, because an upload replaces the server's list.
    public var needsUpload: Bool
    /// The content of the first message, in guarded memory.
    public var plaintext: SecureBytes
    /// Why the contact's identity is trusted.
    public var trust: IdentityTrust
}

extension TextSecureAccount {
    /// Begins a session.
    /// - Parameters:
    ///   - known: the contact's identity; nil for a new contact.
    ///   - version: `.two` is what all clients of the time speak.
    /// - Throws: `.identityChanged`, `.weakKey`.
    public borrowing func initiate(
        with prekey: PeerPrekey, known: PublicKey33?, version: SessionVersion = .two
    ) throws(SessionError) -> TextSecureSession {
        try initiate(
            with: prekey.key, identity: prekey.identity, oneTime: nil,
            ids: PreKeyWhisperMessage.PrekeyIDs(prekey: prekey.id, signed: nil), known: known, version: version,
            ephemeral: AgreementKey(), ratchetKey: AgreementKey())
    }

    /// - Parameters:
    ///   - prekey: the prekey, or a signed one whose signature the caller has checked.
    ///   - oneTime: beside a signed prekey.
    ///   - ephemeral: of this session only, like `ratchetKey`.
    package borrowing func initiate(
        with prekey: PublicKey33, identity peer: PublicKey33, oneTime: PublicKey33?,
        ids: PreKeyWhisperMessage.PrekeyIDs, known: PublicKey33?, version: SessionVersion, ephemeral: AgreementKey,
        ratchetKey: AgreementKey
    ) throws(SessionError) -> TextSecureSession {
        guard known == nil || known == peer else { throw .identityChanged(peer) }
        do {
            let secret = try FirstSecret.initiate(
                version.suite, identity: identity.held.bytes, ephemeral: ephemeral.held.bytes,
                with: FirstSecret.ResponderKeys(identity: peer.point, prekey: prekey.point, oneTime: oneTime?.point))
            let ratchet = try DoubleRatchet.initiate(
                version.suite, secret: secret, prekey: prekey.point, ratchetKey: ratchetKey.held)
            return TextSecureSession(
                own: identity.publicKey, peer: peer, baseKey: ephemeral.publicKey, peerRegistrationID: nil,
                pending: TextSecureSession.Pending(prekeyIDs: ids, registrationID: UInt32(registrationID)),
                ratchet: ratchet)
        } catch {
            throw SessionError(error)
        }
    }

    /// Takes a session that a contact begins.
    /// - Parameters:
    ///   - known: the contact's identity; nil for a new contact.
    ///   - sessions: base keys of the sessions with this contact. A message that has one of them is opened by that
    ///     session.
    /// - Throws: in this order `.sessionExists`, `.identityChanged`, `.unknownPrekey`, `.weakKey`, and as
    ///   `TextSecureSession.open`. Then nothing has changed, and the prekey is still there: else anybody could empty the
    ///   pool with garbage.
    public borrowing func respond(
        to message: PreKeyWhisperMessage, known: PublicKey33?, sessions: Set<PublicKey33>, at now: Timestamp
    ) throws(SessionError) -> BegunSession {
        try respond(
            to: message, known: known, sessions: sessions, at: now, signedPrekey: { _ in nil },
            ratchetKey: { AgreementKey().held })
    }

    /// - Parameter signedPrekey: the private signed prekey of this id, which an account of this server does not have.
    package borrowing func respond(
        to message: PreKeyWhisperMessage, known: PublicKey33?, sessions: Set<PublicKey33>, at now: Timestamp,
        signedPrekey: (UInt32) -> HeldKey?, ratchetKey: () -> HeldKey
    ) throws(SessionError) -> BegunSession {
        guard !sessions.contains(message.baseKey) else { throw .sessionExists }
        guard known == nil || known == message.identity else { throw .identityChanged(message.identity) }
        let keys = try ownKeys(message.prekeyIDs, signedPrekey)
        let session = try begin(message, prekey: keys.prekey, oneTime: keys.oneTime)
        let opened = try session.open(message.message, at: now, ratchetKey: ratchetKey)
        let usedID = message.prekeyIDs.prekey.flatMap { $0 == lastResort.id ? nil : $0 }
        guard let next = prekeys.after(using: usedID, at: now) else { throw .unknownPrekey(usedID ?? 0) }
        let isFilled = usedID != nil && next.count >= prekeys.count
        return Self.begun(opened, next, needsUpload: isFilled, known)
    }

    private static func begun(
        _ opened: consuming TextSecureSession.Opened, _ prekeys: consuming PrekeyPool, needsUpload: Bool,
        _ known: PublicKey33?
    ) -> BegunSession {
        BegunSession(
            session: opened.next, prekeys: prekeys, needsUpload: needsUpload, plaintext: opened.plaintext,
            trust: known == nil ? .firstUse : .known)
    }

    private struct OwnKeys {
        let prekey: HeldKey
        let oneTime: HeldKey?
    }

    private borrowing func ownKeys(
        _ ids: PreKeyWhisperMessage.PrekeyIDs, _ signedPrekey: (UInt32) -> HeldKey?
    ) throws(SessionError) -> OwnKeys {
        var oneTime: HeldKey?
        if let id = ids.prekey {
            oneTime = prekey(id)
            guard oneTime != nil else { throw .unknownPrekey(id) }
        }
        guard let id = ids.signed else { return OwnKeys(prekey: oneTime!, oneTime: nil) }
        guard let signed = signedPrekey(id) else { throw .unknownPrekey(id) }
        return OwnKeys(prekey: signed, oneTime: oneTime)
    }

    private borrowing func begin(
        _ message: PreKeyWhisperMessage, prekey: HeldKey, oneTime: HeldKey?
    ) throws(SessionError) -> TextSecureSession {
        do {
            let suite = message.version.suite
            let secret = try FirstSecret.respond(
                suite, identity: identity.held.bytes, prekey: prekey.bytes, oneTime: oneTime,
                initiator: message.identity.point, ephemeral: message.baseKey.point)
            return TextSecureSession(
                own: identity.publicKey, peer: message.identity, baseKey: message.baseKey,
                peerRegistrationID: message.registrationID, pending: nil,
                ratchet: DoubleRatchet.respond(suite, secret: secret, prekey: prekey.bytes))
        } catch {
            throw SessionError(error)
        }
    }
}
