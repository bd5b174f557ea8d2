internal import Primitives
internal import SecureMemory
public import Threema
public import ThreemaMessages

// Two participants, A who has just joined and B who was there:
//
//     A → B   Hello   nonce 24 ‖ box(GCHK, nonce)
//     B → A   Hello   likewise
//     B → A   Auth    outer box over: nonce 24 ‖ inner box(GCNHAK, nonce)
//     A → B   Auth    likewise
//
//     outer key:   HSalsa20(X25519(own PCK, the other's PCK)), the same for both
//     outer nonce: PCCK of the sender ‖ the sender's counter of messages (PCSN), 8 bytes little-endian, from 1
//
// GCHK shows that a Hello comes from somebody who knows the call; the inner box of an Auth shows that its sender has
// the private key of the identity in the Hello; the receiver's PCK and PCCK in it show that it is no repetition.

/// The handshake with one other participant. It takes what that one sends, and says what to do next.
///
/// A message that is refused changes nothing: the server between the participants can send anything.
public struct PeerHandshake: ~Copyable, Sendable {
    /// Who was in the call first.
    public enum Role: Sendable {
        /// This participant has just joined, and speaks first.
        case joining
        /// This participant was there, and answers.
        case present
    }

    /// What to do next in the handshake with this participant.
    public enum Step: Equatable, Sendable {
        /// Send these, in order, then pass what comes to `receive`. There may be none to send.
        case send([[UInt8]])
        /// Find the keys of the member who claims to speak, and call `authenticate`.
        case findContact(ThreemaID, nickname: String)
        /// Call `finish`: the other one is who it says. Its media keys open its frames.
        case finished(mediaKeys: [MediaKey])
    }

    private enum State: Sendable {
        case awaitsHello
        /// The contact is being looked up.
        case awaitsContact(Hello)
        case awaitsAuth(Hello, session: EnclosedKey, authentication: EnclosedKey)
        case finished(Hello, session: EnclosedKey)
    }

    /// The ID of this side, which the other participant gets to know.
    public let identity: ThreemaID
    private let role: Role
    private let nickname: String
    private let members: Set<ThreemaID>
    private let secrets: HandshakeSecrets
    private let keys: CallKeys
    private var state = State.awaitsHello

    /// - Parameters:
    ///   - identity: the user's.
    ///   - nickname: at most 32 bytes are sent.
    ///   - members: of the group; nobody else is answered.
    public init(
        _ role: Role, as identity: ThreemaID, nickname: String, members: Set<ThreemaID>, keys: consuming CallKeys
    ) {
        self.init(role, as: identity, nickname: nickname, members: members, keys: keys, secrets: .random())
    }

    package init(
        _ role: Role, as identity: ThreemaID, nickname: String, members: Set<ThreemaID>, keys: consuming CallKeys,
        secrets: HandshakeSecrets
    ) {
        self.role = role
        self.identity = identity
        self.nickname = Self.prefix(nickname, MessageLimits.nicknameBytes)
        self.members = members
        self.keys = keys
        self.secrets = secrets
    }

    /// The first step: who joins sends a hello, the other side waits for one.
    public borrowing func start() -> Step { .send(role == .joining ? [hello()] : []) }

    /// Takes a message of the other participant.
    /// - Throws: why it is refused; the state is as before.
    public mutating func receive(_ message: Span<UInt8>) throws(HandshakeRefusal) -> Step {
        guard message.count <= CallEnvelope.maxCount else {
            throw .tooLong(limit: CallEnvelope.maxCount, actual: message.count)
        }
        switch state {
        case .awaitsHello:
            let peer = try openHello(message)
            state = .awaitsContact(peer)
            return .findContact(peer.identity, nickname: peer.nickname)
        case .awaitsAuth(let peer, let session, let authentication):
            let auth = try openAuth(message, peer, session, authentication)
            state = .finished(peer, session: session)
            return .finished(mediaKeys: auth.mediaKeys)
        case .awaitsContact, .finished: throw .outOfTurn
        }
    }

    /// Answers `.findContact`.
    /// - Parameters:
    ///   - contact: the keys between the user and the contact.
    ///   - mediaKeys: `MediaSender.distributed`, after the ratchet took a step if this participant was there first.
    /// - Throws: `.outOfTurn`.
    public mutating func authenticate(
        contact: borrowing ContactKeys, mediaKeys: [MediaKey]
    ) throws(HandshakeRefusal) -> Step {
        guard case .awaitsContact(let peer) = state else { throw .outOfTurn }
        precondition((1...Auth.maxMediaKeys).contains(mediaKeys.count))
        // Cannot throw: a public key is not of low order.
        let shared = try! secrets.privateKey.bytes.withBytes { (own) throws(SharedKeyError) in
            try Box.sharedKey(privateKey: own, publicKey: peer.publicKey.bytes.span)
        }
        let session = EnclosedKey(shared)
        let authentication = EnclosedKey(keys.authentication(with: contact))
        state = .awaitsAuth(peer, session: session, authentication: authentication)
        let auth = sealAuth(peer, mediaKeys, session, authentication)
        return .send(role == .joining ? [auth] : [hello(), auth])
    }

    /// Ends with the channel to the other participant.
    /// - Returns: nil unless the handshake is finished.
    public consuming func finish() -> PeerSession? {
        guard case .finished(let peer, let session) = state else { return nil }
        return PeerSession(
            peer: peer.identity, nickname: peer.nickname, key: session, ownChallenge: secrets.challenge,
            peerChallenge: peer.challenge)
    }
}

extension PeerHandshake {
    private borrowing func hello() -> [UInt8] {
        let hello = Hello(
            identity: identity, nickname: nickname, publicKey: secrets.publicKey, challenge: secrets.challenge)
        let envelope = hello.envelope
        return keys.hello.withBytes {
            SecretBox.sealWithNonce(envelope.span, nonce: secrets.helloNonce, key: $0)
        }
    }

    private borrowing func openHello(_ message: Span<UInt8>) throws(HandshakeRefusal) -> Hello {
        let plain: SecureBytes
        do throws(AuthenticationError) {
            plain = try CallBox.open(message, key: keys.hello)
        } catch {
            throw .helloNotAuthentic
        }
        let hello: Hello
        do throws(CallMessageError) {
            hello = try plain.withBytes { (plain) throws(CallMessageError) in try Hello(envelope: plain) }
        } catch {
            throw .hello(error)
        }
        // Both would seal with the same nonces, or the server has sent this participant's own Hello back.
        guard hello.publicKey != secrets.publicKey, hello.challenge != secrets.challenge else { throw .reflected }
        guard members.contains(hello.identity) else { throw .notMember(hello.identity) }
        return hello
    }

    private borrowing func sealAuth(
        _ peer: Hello, _ mediaKeys: [MediaKey], _ session: EnclosedKey, _ authentication: EnclosedKey
    ) -> [UInt8] {
        let auth = Auth(publicKey: peer.publicKey.bytes, challenge: peer.challenge, mediaKeys: mediaKeys)
        let inner = authentication.bytes.withBytes { key in
            auth.envelope.withBytes { SecretBox.sealWithNonce($0, nonce: secrets.authNonce, key: key) }
        }
        return Box.seal(
            inner.span, nonce: CallBox.nonce(secrets.challenge, CallBox.firstNumber), sharedKey: session.bytes)
    }

    private borrowing func openAuth(
        _ message: Span<UInt8>, _ peer: Hello, _ session: EnclosedKey, _ authentication: EnclosedKey
    ) throws(HandshakeRefusal) -> Auth {
        let inner: SecureBytes
        do throws(AuthenticationError) {
            inner = try Box.open(
                message, nonce: CallBox.nonce(peer.challenge, CallBox.firstNumber), sharedKey: session.bytes)
        } catch {
            throw .authNotAuthentic
        }
        let plain: SecureBytes
        do throws(AuthenticationError) {
            plain = try inner.withBytes { (inner) throws(AuthenticationError) in
                try CallBox.open(inner, key: authentication.bytes)
            }
        } catch {
            throw .notIdentity(peer.identity)
        }
        let auth: Auth
        do throws(CallMessageError) {
            auth = try plain.withBytes { (plain) throws(CallMessageError) in try Auth(envelope: plain) }
        } catch {
            throw .auth(error)
        }
        guard ConstantTime.areEqual(auth.publicKey.span, secrets.publicKey.bytes.span) else { throw .otherKey }
        guard ConstantTime.areEqual(auth.challenge.span, secrets.challenge.span) else { throw .otherChallenge }
        return auth
    }

    /// As many whole characters as fit.
    private static func prefix(_ text: String, _ limit: Int) -> String {
        var count = 0
        return String(
            text.prefix { character in
                count += character.utf8.count
                return count <= limit
            })
    }
}

/// Why a message of a handshake is refused.
public enum HandshakeRefusal: Error, Equatable, Sendable {
    case tooLong(limit: Int, actual: Int)
    /// No message is expected now.
    case outOfTurn
    /// The Hello is not sealed with this call's key.
    case helloNotAuthentic
    /// The Hello opens, but is malformed.
    case hello(CallMessageError)
    /// The Hello has this participant's own key or challenge.
    case reflected
    /// The Hello names somebody who is not in the group.
    case notMember(ThreemaID)
    /// The outer box of the Auth does not open: other keys, another counter, or altered bytes.
    case authNotAuthentic
    /// The inner box of the Auth does not open: the sender has not the private key of the identity in its Hello.
    case notIdentity(ThreemaID)
    /// The Auth opens, but is malformed.
    case auth(CallMessageError)
    /// The Auth repeats another public key than this participant's.
    case otherKey
    /// The Auth repeats another challenge than this participant's.
    case otherChallenge
}
