public import Encodings
internal import Primitives
internal import Ratchet
public import SecureMemory

/// Why a session does not begin. Then nothing has changed.
public enum HandshakeError: Error, Equatable, Sendable {
    /// Not an initiation, or a wrong field.
    case malformed
    /// A post-quantum secret is part of it, which is not supported.
    case unsupported
    /// The initiator's bundle is refused.
    case bundle(BundleError)
    /// The message is not from the owner of the bundle.
    case wrongSender
    /// The signed prekey is none that is kept.
    case unknownSignedPreKey
    /// The one-time prekey is none that is left. There is no way down to three agreements.
    case unknownOneTimePreKey
    /// The ephemeral key has begun a session already.
    case replayed
    /// No further ephemeral key of a stranger, or of anyone, can be remembered before a signed prekey is dropped
    /// (`SeenEphemerals`).
    case storeFull
    /// A key is of low order.
    case weakKey
    /// The first message does not open.
    case notAuthentic
    /// The first message is longer than `limit` bytes.
    case tooLong(limit: Int)
}

/// What has secured the first message.
public enum InitialSecrecy: Equatable, Sendable {
    /// A key that is used once.
    case oneTime
    /// A key that is used until the next signed prekey.
    case lastResort
    /// The signed prekey only.
    case signedPreKeyOnly

    /// Whether who learns the private keys later can read messages before the first answer.
    public var reducedForwardSecrecy: Bool { self != .oneTime }
}

/// What begins a session: the payload of a message of kind `initiateSession`.
public struct Initiation: Equatable, Sendable {
    /// The initiator's bundle, not checked yet.
    public let bundle: PrekeyBundle
    /// 32 bytes.
    public let ephemeral: [UInt8]
    /// Number of the responder's signed prekey that the initiator has used.
    public let signedPrekeyID: UInt32
    /// The responder's one-time prekey; 0 for the last-resort key.
    public let oneTimeID: UInt32?
    /// The first message of the session, sealed.
    public let message: PairMessage

    init(bundle: PrekeyBundle, ephemeral: [UInt8], signedPrekeyID: UInt32, oneTimeID: UInt32?, message: PairMessage) {
        self.bundle = bundle
        self.ephemeral = ephemeral
        self.signedPrekeyID = signedPrekeyID
        self.oneTimeID = oneTimeID
        self.message = message
    }

    /// Reads an initiation. Nothing is verified.
    /// - Throws: `.malformed`, `.unsupported`.
    public init(parsing bytes: [UInt8]) throws(HandshakeError) {
        guard bytes.count <= WireMessage.maxPayload else { throw .malformed }
        let fields: Fields
        do { fields = try Fields(bytes) } catch { throw .malformed }
        if fields.has("pqEncapsulatedKey") { throw .unsupported }
        do throws(FieldError) {
            guard let bundle = fields.value["senderBundle"], let message = fields.value["initialMessage"] else {
                throw .malformed
            }
            self.bundle = try PrekeyBundle(Fields(bundle))
            self.message = try PairMessage(Fields(message))
            ephemeral = try fields.bytes("ephemeralPublicKey", 32)
            signedPrekeyID = try fields.integer("usedSignedPreKeyId", as: UInt32.self)
            oneTimeID = try fields.optional("usedOneTimePreKeyId") { name throws(FieldError) in
                try fields.integer(name, as: UInt32.self)
            }
        } catch {
            throw .malformed
        }
    }

    /// The payload to send: JSON, UTF-8.
    public var encoded: [UInt8] {
        Fields.object([
            ("senderBundle", bundle.json), ("ephemeralPublicKey", .base64(ephemeral)),
            ("usedSignedPreKeyId", .number(signedPrekeyID)), ("usedOneTimePreKeyId", oneTimeID.map { .number($0) }),
            ("initialMessage", message.json),
        ])
    }
}

/// A session that this side begins.
@frozen
public struct Initiated: ~Copyable, Sendable {
    /// Store it before the initiation leaves.
    public var session: PairSession
    /// The payload to send, as a message of the kind `initiateSession`.
    public var initiation: Initiation
    /// What secures the first message.
    public var secrecy: InitialSecrecy
}

/// A session that another side has begun.
@frozen
public struct Responded: ~Copyable, Sendable {
    /// Store it, `prekeys` and the plaintext in one transaction.
    public var session: PairSession
    /// The prekeys after it: the one-time key is used up and replaced, the ephemeral key remembered.
    public var prekeys: PrekeyStore
    /// The content of the first message, in guarded memory.
    public var plaintext: SecureBytes
    /// The initiator's bundle, whose signatures, age and owner were checked.
    public var peer: CheckedBundle
    /// What has secured the first message.
    public var secrecy: InitialSecrecy
}

extension SophaxIdentity {
    /// Begins a session.
    /// - Parameters:
    ///   - peer: a bundle that was checked just now.
    ///   - own: this side's bundle.
    ///   - form: `.plain` for peers that know nothing else.
    ///   - first: the first message, at most `PairMessage.maxContent` bytes.
    /// - Throws: `.weakKey`, `.tooLong`.
    public borrowing func initiate(
        with peer: CheckedBundle, own: PrekeyBundle, form: HeaderForm = .plain, first: Span<UInt8>
    ) throws(HandshakeError) -> Initiated {
        guard first.count <= PairMessage.maxContent else { throw .tooLong(limit: PairMessage.maxContent) }
        let bundle = peer.bundle
        let ephemeral = Random.secret(X25519.count)
        do {
            let secret = try FirstSecret.initiate(
                .sophaxChat, identity: agreement, ephemeral: ephemeral,
                with: FirstSecret.ResponderKeys(
                    identity: bundle.identity.agreement, prekey: bundle.signedPrekey,
                    oneTime: bundle.oneTime?.publicKey))
            let ratchet = try DoubleRatchet.initiate(.sophaxChat, secret: secret, prekey: bundle.signedPrekey)
            var session = PairSession(publicIdentity, bundle.identity, form: form, ratchet: ratchet)
            let message = try session.seal(first)
            let initiation = Initiation(
                bundle: own, ephemeral: ephemeral.withBytes { X25519.publicKey(of: $0) },
                signedPrekeyID: bundle.signedPrekeyID, oneTimeID: bundle.oneTime?.id, message: message)
            return Initiated(session: session, initiation: initiation, secrecy: Self.secrecy(bundle.oneTime?.id))
        } catch {
            throw .weakKey
        }
    }

    private static func secrecy(_ id: UInt32?) -> InitialSecrecy {
        id.map { $0 == 0 ? .lastResort : .oneTime } ?? .signedPreKeyOnly
    }

    /// Takes a session that another side begins, also one with whom a session is there: a restored backup needs it.
    /// - Parameters:
    ///   - sender: who has signed the message around it, as `WireGate.admit` has returned.
    ///   - known: the contact's keys, if it is one. Some places of `PrekeyStore.seen` are for contacts only.
    ///   - pinned: the highest form that this peer has signed so far.
    /// - Throws: `HandshakeError`; then nothing has changed.
    public borrowing func respond(
        to initiation: Initiation, from sender: PublicIdentity, prekeys: borrowing PrekeyStore,
        known: PublicIdentity?, pinned: SignatureForm?, form: HeaderForm = .plain, at now: Timestamp,
        skew: Duration = .zero
    ) throws(HandshakeError) -> Responded {
        guard sender == initiation.bundle.identity else { throw .wrongSender }
        let peer: CheckedBundle
        do {
            peer = try initiation.bundle.check(
                asked: sender.peerID, known: known, pinned: pinned, at: now, skew: skew)
        } catch {
            throw .bundle(error)
        }
        guard let signed = prekeys.signed(initiation.signedPrekeyID, at: now) else { throw .unknownSignedPreKey }
        let oneTime: HeldKey?
        switch initiation.oneTimeID {
        case nil: oneTime = nil
        case 0: oneTime = signed.lastResort
        case .some(let id):
            guard let key = prekeys.oneTime(id) else { throw .unknownOneTimePreKey }
            oneTime = key
        }
        guard !prekeys.seen.contains(initiation.ephemeral) else { throw .replayed }
        // The bundle has been compared with the contact's keys, and a key is remembered only if the first message opens:
        // so nobody takes a contact's place in its name.
        guard known == nil ? !prekeys.seen.isFullForStrangers : !prekeys.seen.isFull else { throw .storeFull }
        let session = try begin(initiation, sender, signed.key, oneTime, form)
        let opened: PairSession.Opened
        do { opened = try session.open(initiation.message, at: now) } catch {
            throw error == .weakKey ? .weakKey : .notAuthentic
        }
        let next = try prekeys.after(
            ephemeral: initiation.ephemeral, signed: signed.id, oneTime: initiation.oneTimeID, at: now)
        return Self.responded(opened, next, peer, Self.secrecy(initiation.oneTimeID))
    }

    private static func responded(
        _ opened: consuming PairSession.Opened, _ prekeys: consuming PrekeyStore, _ peer: CheckedBundle,
        _ secrecy: InitialSecrecy
    ) -> Responded {
        Responded(
            session: opened.next, prekeys: prekeys, plaintext: opened.plaintext, peer: peer, secrecy: secrecy)
    }

    private borrowing func begin(
        _ initiation: Initiation, _ sender: PublicIdentity, _ prekey: HeldKey, _ oneTime: HeldKey?,
        _ form: HeaderForm
    ) throws(HandshakeError) -> PairSession {
        do {
            let secret = try FirstSecret.respond(
                .sophaxChat, identity: agreement, prekey: prekey.bytes, oneTime: oneTime,
                initiator: sender.agreement, ephemeral: initiation.ephemeral)
            let ratchet = DoubleRatchet.respond(.sophaxChat, secret: secret, prekey: prekey.bytes)
            return PairSession(publicIdentity, sender, form: form, ratchet: ratchet)
        } catch {
            throw .weakKey
        }
    }
}
