internal import Primitives
internal import SecureMemory
internal import Threema
internal import ThreemaMessages

// The handshake with the server:
//
//   S → C  server-hello  clear   key: the server's session key
//   C → S  client-hello  clear   key: the permanent key. From responders only: that of an initiator is the path
//   C → S  client-auth   sealed  your_cookie, subprotocols, ping_interval in seconds, your_key: the server's permanent
//                                key that the client expects
//   S → C  server-auth   sealed  your_cookie; responders: their addresses, for an initiator; initiator_connected, for a
//                                responder; signed_keys: a box of the server's permanent key and the client's, with the
//                                nonce of this message, over the server's session key (32) ‖ the client's key (32)
//
// Sealed is the box of the client's permanent key and the server's session key. The destination of server-auth is the
// address that the client has from now on. Later messages of the server:
//
//   new-initiator            to responders
//   new-responder   id       to the initiator
//   disconnected    id       the peer of this address has left
//   send-error      id       the 8 bytes behind the cookie of a message that was not delivered
//
// and of the initiator: drop-responder, with id and reason.

/// What a client learns from the server after the handshake.
enum ServerMessage {
    case newInitiator
    case newResponder(SignalingAddress)
    case disconnected(SignalingAddress)
    case sendError(to: SignalingAddress, sequence: UInt64)
}

/// A client's connection to the server.
struct ServerLink: Sendable {
    enum Phase { case hello, auth, open }

    static let subprotocol = "v1.saltyrtc.org"

    let key: PermanentKey
    private let isInitiator: Bool
    private let serverKey: PublicKey?
    private let pingSeconds: UInt32
    private var link: SignalingLink
    private(set) var phase = Phase.hello
    private var sessionKey: PublicKey?
    private var box: EnclosedKey?

    init(
        key: PermanentKey, isInitiator: Bool, serverKey: PublicKey?, pingSeconds: UInt32,
        _ randomness: SignalingRandomness
    ) {
        self.key = key
        self.isInitiator = isInitiator
        self.serverKey = serverKey
        self.pingSeconds = pingSeconds
        link = SignalingLink(own: 0, other: SignalingNonce.server, randomness)
    }

    /// This client's; 0 until the handshake is finished.
    var address: SignalingAddress { link.own }

    /// Whether a message is for this client.
    /// - Throws: `.wrongDestination`.
    func checkDestination(_ nonce: SignalingNonce) throws(SignalingError) {
        let isOwn =
            switch phase {
            case .hello: nonce.destination == 0
            case .auth:
                isInitiator
                    ? nonce.destination == SignalingNonce.initiator
                    : SignalingNonce.responders.contains(nonce.destination)
            case .open: nonce.destination == address
            }
        guard isOwn else { throw .wrongDestination(nonce.destination) }
    }

    /// Takes server-hello.
    /// - Returns: what to send.
    mutating func hello(_ message: Span<UInt8>, _ nonce: SignalingNonce) throws(SignalingError) -> [[UInt8]] {
        let plaintext = try link.read(message, nonce)
        let sessionKey: PublicKey
        do throws(SignalingContentError) {
            let fields = try SignalingFields(plaintext.span, limits: .handshake)
            try fields.require(.serverHello)
            sessionKey = try fields.publicKey(.key)
        } catch {
            throw .message(.serverHello, error)
        }
        guard sessionKey != serverKey, sessionKey != key.publicKey else { throw .sessionKeyIsPermanent }
        let box = SharedKeys.shared(key.bytes, sessionKey)
        self.sessionKey = sessionKey
        self.box = box
        phase = .auth
        var answers: [[UInt8]] = []
        if !isInitiator {
            answers.append(try link.clear(Self.map(.clientHello, [.init("key", .bytes(key.publicKey.bytes))])))
        }
        answers.append(try link.seal(clientAuth(repeating: nonce.cookie), key: box.bytes))
        return answers
    }

    private func clientAuth(repeating cookie: SignalingCookie) -> [UInt8] {
        var members: [MessagePackValue.Member] = [
            .init("your_cookie", .bytes(cookie.bytes)), .init("subprotocols", .array([.text(Self.subprotocol)])),
            .init("ping_interval", .unsigned(UInt64(pingSeconds))),
        ]
        if let serverKey { members.append(.init("your_key", .bytes(serverKey.bytes))) }
        return Self.map(.clientAuth, members)
    }

    /// Takes server-auth.
    /// - Returns: the peers that are connected.
    mutating func auth(
        _ message: Span<UInt8>, _ nonce: SignalingNonce
    ) throws(SignalingError) -> [SignalingAddress] {
        let plaintext = try link.open(message, nonce, key: box!.bytes, .serverAuth)
        let fields: SignalingFields
        let peers: [SignalingAddress]
        let (cookie, signed): ([UInt8], [UInt8]?)
        do throws(SignalingContentError) {
            fields = try SignalingFields(plaintext.span, limits: .serverAuth)
            try fields.require(.serverAuth)
            cookie = try fields.bytes(.yourCookie, count: SignalingCookie.count)
            peers =
                isInitiator
                ? try fields.responders(.responders)
                : try fields.bool(.initiatorConnected) ? [SignalingNonce.initiator] : []
            let hasSigned = fields.members[SignalingContentError.Field.signedKeys.rawValue].map { $0 != .null } ?? false
            signed = hasSigned ? try fields.bytes(.signedKeys, count: Box.tagCount + 2 * PublicKey.count) : nil
        } catch {
            throw .message(.serverAuth, error)
        }
        guard cookie == link.cookie.bytes else { throw .cookieNotRepeated }
        if let serverKey { try prove(serverKey, signed ?? [], nonce) }
        link.own = nonce.destination
        phase = .open
        return peers
    }

    /// - Throws: `.serverKeyNotProved`.
    private func prove(
        _ serverKey: PublicKey, _ signed: [UInt8], _ nonce: SignalingNonce
    ) throws(SignalingError) {
        let shared = SharedKeys.shared(key.bytes, serverKey)
        do throws(AuthenticationError) {
            let keys = try Box.openPublic(signed.span, nonce: nonce.bytes, sharedKey: shared.bytes)
            guard let sessionKey, keys == sessionKey.bytes + key.publicKey.bytes else { throw .notAuthentic }
        } catch {
            throw .serverKeyNotProved
        }
    }

    /// Takes a message of the server after the handshake.
    mutating func open(_ message: Span<UInt8>, _ nonce: SignalingNonce) throws(SignalingError) -> ServerMessage {
        let plaintext = try link.open(message, nonce, key: box!.bytes, .server)
        do throws(SignalingContentError) {
            return try read(SignalingFields(plaintext.span, limits: .handshake))
        } catch {
            throw .message(.server, error)
        }
    }

    private func read(_ fields: SignalingFields) throws(SignalingContentError) -> ServerMessage {
        let peers = isInitiator ? SignalingNonce.responders : SignalingNonce.initiator...SignalingNonce.initiator
        switch SignalingMessageType(rawValue: fields.type) {
        case .newInitiator? where !isInitiator: return .newInitiator
        case .newResponder? where isInitiator: return .newResponder(try fields.address(.id, in: peers))
        case .disconnected?: return .disconnected(try fields.address(.id, in: peers))
        case .sendError?:
            let id = try fields.bytes(.id, count: SignalingNonce.count - SignalingCookie.count)
            guard id[0] == address, peers.contains(id[1]) else { throw .field(.id) }
            return .sendError(to: id[1], sequence: id[2...].reduce(0) { $0 << 8 | UInt64($1) })
        case let type?: throw .otherType(type)
        case nil: throw .unknownType
        }
    }

    /// A message by which an initiator drops a responder.
    mutating func drop(_ responder: SignalingAddress, _ reason: CloseCode) throws(SignalingError) -> [UInt8] {
        precondition(reason.isDropReason)
        let members: [MessagePackValue.Member] = [
            .init("id", .unsigned(UInt64(responder))), .init("reason", .unsigned(UInt64(reason.rawValue))),
        ]
        return try link.seal(Self.map(.dropResponder, members), key: box!.bytes)
    }

    static func map(_ type: SignalingMessageType, _ members: [MessagePackValue.Member]) -> [UInt8] {
        MessagePackValue.map([.init("type", .text(type.rawValue))] + members).encoded
    }
}

extension MessagePackLimits {
    /// A path has 254 responders at most.
    fileprivate static let serverAuth = MessagePackLimits(bytes: 8 * 1024, depth: 8, values: 512)
}
