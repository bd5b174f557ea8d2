internal import SecureMemory
internal import Threema
internal import ThreemaMessages

// The handshake of the clients:
//
//   R → I  token  secretbox of the token      key: R's permanent key. First pairing only
//   R → I  key    box of permanent keys       key: R's session key
//   I → R  key    box of permanent keys       key: I's session key
//   R → I  auth   box of session keys         your_cookie, tasks, data
//   I → R  auth   box of session keys         your_cookie, task, data
//
// R sends token and key together, as soon as the initiator is there.

/// An initiator's handshake with one responder.
struct ResponderHandshake: Sendable {
    private enum State {
        case token
        case key(PublicKey)
        case auth(PublicKey, EnclosedKey)
    }

    /// What a message of the responder leads to.
    enum Step {
        case send([UInt8])
        /// Nothing to send yet. The token was used.
        case tokenUsed
        case paired(PairedLink, [UInt8])
    }

    private var state: State
    private var link: SignalingLink
    private let ownKey: PermanentKey
    private let tasks: [OfferedTask]

    /// - Parameter peer: the responder's permanent key; nil if it has to send a token.
    init(
        _ address: SignalingAddress, peer: PublicKey?, ownKey: PermanentKey, tasks: [OfferedTask],
        _ randomness: SignalingRandomness
    ) {
        state = peer.map { .key($0) } ?? .token
        link = SignalingLink(own: SignalingNonce.initiator, other: address, randomness)
        self.ownKey = ownKey
        self.tasks = tasks
    }

    /// - Parameter token: nil after it was used.
    mutating func receive(
        _ message: Span<UInt8>, _ nonce: SignalingNonce, token: AuthToken?, _ randomness: SignalingRandomness
    ) throws(SignalingError) -> Step {
        switch state {
        case .token:
            guard let token else { throw .tokenUsed }
            let plaintext = try link.open(message, nonce, key: token.bytes, .token)
            state = .key(try Self.publicKey(plaintext, .token, .token))
            return .tokenUsed
        case .key(let peer):
            let shared = SharedKeys.shared(ownKey.bytes, peer)
            let plaintext = try link.open(message, nonce, key: shared.bytes, .key)
            let theirs = try Self.publicKey(plaintext, .key, .key)
            guard theirs != peer, theirs != ownKey.publicKey else { throw .sessionKeyIsPermanent }
            let own = randomness.sessionKey()
            state = .auth(peer, SharedKeys.shared(own.bytes, theirs))
            let answer = ServerLink.map(.key, [.init("key", .bytes(own.publicKey.bytes))])
            return .send(try link.seal(answer, key: shared.bytes))
        case .auth(let peer, let session):
            let plaintext = try link.open(message, nonce, key: session.bytes, .auth)
            let fields = try Self.auth(plaintext, repeating: link.cookie)
            let (task, data) = try TaskNegotiation.choose(tasks, from: fields)
            let members = [.init("your_cookie", .bytes(nonce.cookie.bytes))] + TaskNegotiation.choice(task)
            let answer = try link.seal(ServerLink.map(.auth, members), key: session.bytes)
            let paired = PairedPeer(address: link.other, publicKey: peer, task: task.task, taskData: data)
            return .paired(PairedLink(peer: paired, link: link, key: session), answer)
        }
    }

    /// Tells the responder why nothing comes of it, if it knows the session key.
    mutating func close(_ code: CloseCode) -> [UInt8]? {
        guard case .auth(_, let session) = state else { return nil }
        return try? link.seal(PairedLink.close(code), key: session.bytes)
    }

    /// The key in an opened `token` or `key`.
    static func publicKey(
        _ plaintext: [UInt8], _ type: SignalingMessageType, _ step: SignalingError.Step
    ) throws(SignalingError) -> PublicKey {
        do throws(SignalingContentError) {
            let fields = try SignalingFields(plaintext.span, limits: .handshake)
            try fields.require(type)
            return try fields.publicKey(.key)
        } catch {
            throw .message(step, error)
        }
    }

    /// An opened `auth` that repeats this client's cookie.
    static func auth(
        _ plaintext: [UInt8], repeating cookie: SignalingCookie
    ) throws(SignalingError) -> SignalingFields {
        let fields: SignalingFields
        let repeated: [UInt8]
        do throws(SignalingContentError) {
            fields = try SignalingFields(plaintext.span, limits: .handshake)
            try fields.require(.auth)
            repeated = try fields.bytes(.yourCookie, count: SignalingCookie.count)
        } catch {
            throw .message(.auth, error)
        }
        guard repeated == cookie.bytes else { throw .cookieNotRepeated }
        return fields
    }
}
