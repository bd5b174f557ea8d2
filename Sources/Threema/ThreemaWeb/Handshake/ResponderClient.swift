internal import SecureMemory
public import Threema
public import ThreemaMessages

/// The responder's side of a path: the app.
///
/// Pass each message of the WebSocket to `receive`, and send what comes back. Everything that is refused ends the
/// connection. If the initiator comes back, the handshake begins again, without the token if it was finished once.
public struct ResponderClient: ~Copyable, Sendable {
    /// The subprotocol of the WebSocket.
    public static let subprotocol = ServerLink.subprotocol

    private enum Phase {
        /// The initiator is not there.
        case waiting
        case key(SessionKey)
        case auth(EnclosedKey)
    }

    private let initiatorKey: PublicKey
    private let tasks: [OfferedTask]
    private let randomness: SignalingRandomness
    /// Nil for a trusted pairing.
    private var token: AuthToken?
    private var server: ServerLink
    private var link: SignalingLink?
    private var phase = Phase.waiting
    private var conversation = Conversation()

    /// - Parameters:
    ///   - initiatorKey: the permanent key of the initiator, which is the path.
    ///   - token: that of the QR code; nil for a trusted pairing.
    ///   - serverKey: the permanent key that the server must have; nil for any server.
    ///   - tasks: the initiator chooses one. At least one, each once.
    ///   - pingSeconds: how often the server asks if the client is there; 0 for its default.
    public init(
        key: PermanentKey, initiatorKey: PublicKey, token: AuthToken?, serverKey: PublicKey?, tasks: [OfferedTask],
        pingSeconds: UInt32 = 0, randomness: SignalingRandomness = .system
    ) {
        precondition((1...SignalingTask.maxCount).contains(tasks.count))
        self.initiatorKey = initiatorKey
        self.token = token
        self.tasks = tasks
        self.randomness = randomness
        server = ServerLink(
            key: key, isInitiator: false, serverKey: serverKey, pingSeconds: pingSeconds, randomness)
    }

    /// The path of the WebSocket's URL, without a slash: 64 lower-case hexadecimal digits.
    public var path: String { initiatorKey.hex }
    /// The initiator if its handshake is finished; nil for none.
    public var peer: PairedPeer? { conversation.link?.peer }

    /// Takes a binary message of the WebSocket.
    public mutating func receive(_ message: Span<UInt8>) -> SignalingProgress {
        var progress = SignalingProgress()
        if conversation.goesOn {
            do throws(SignalingError) {
                try advance(message, &progress)
            } catch {
                conversation.finish(.protocolError, error)
            }
            if !conversation.goesOn { forget() }
        }
        return conversation.told(progress)
    }

    /// Seals a message for the paired initiator.
    /// - Returns: a binary message for the WebSocket. They have to be sent in the order in which they were sealed.
    public mutating func send(_ message: PeerMessage) throws(SignalingSendingError) -> [UInt8] {
        try conversation.seal(message)
    }

    /// Tells the paired initiator that this side closes, and ends.
    public mutating func close(_ code: CloseCode = .goingAway) -> SignalingProgress {
        let progress = conversation.close(code)
        forget()
        return progress
    }

    private mutating func forget() {
        token = nil
        forgetInitiator()
    }

    private mutating func forgetInitiator() {
        link = nil
        phase = .waiting
        conversation.link = nil
    }
}

extension ResponderClient {
    private mutating func advance(
        _ message: Span<UInt8>, _ progress: inout SignalingProgress
    ) throws(SignalingError) {
        let nonce = try SignalingLink.nonce(of: message)
        try server.checkDestination(nonce)
        // The sender is not proved before the box opens: its address only chooses limit and key.
        let isTask = conversation.link != nil && nonce.source == SignalingNonce.initiator
        if !isTask { try SignalingLink.checkCount(of: message, limit: SignalingLink.maxHandshakeCount) }
        switch nonce.source {
        case SignalingNonce.server: try fromServer(message, nonce, &progress)
        case SignalingNonce.initiator where isTask: try conversation.receive(message, nonce, &progress)
        case SignalingNonce.initiator where link != nil: try fromInitiator(message, nonce, &progress)
        case SignalingNonce.initiator where server.phase == .open:
            progress.events.append(.discarded(from: nonce.source))
        default: throw .wrongSource(nonce.source)
        }
    }

    private mutating func fromServer(
        _ message: Span<UInt8>, _ nonce: SignalingNonce, _ progress: inout SignalingProgress
    ) throws(SignalingError) {
        switch server.phase {
        case .hello: progress.toSend = try server.hello(message, nonce)
        case .auth:
            let peers = try server.auth(message, nonce)
            progress.events.append(.connected(address: server.address, peers: peers))
            if !peers.isEmpty { try start(&progress) }
        case .open:
            switch try server.open(message, nonce) {
            case .newInitiator:
                progress.events.append(.peerJoined(SignalingNonce.initiator))
                forgetInitiator()
                try start(&progress)
            case .disconnected(let address):
                progress.events.append(.peerLeft(address))
                forgetInitiator()
            case .sendError(let address, let sequence):
                progress.events.append(.notDelivered(to: address, sequence: sequence))
                // Of a handshake that cannot be finished. After it, the caller decides.
                if conversation.link == nil { forgetInitiator() }
            // The server's messages to a responder are only these.
            case .newResponder: break
            }
        }
    }

    /// Sends token and key.
    private mutating func start(_ progress: inout SignalingProgress) throws(SignalingError) {
        let session = randomness.sessionKey()
        var link = SignalingLink(own: server.address, other: SignalingNonce.initiator, randomness)
        if let token {
            progress.toSend.append(try link.seal(TokenMessage.plaintext(server.key.publicKey), key: token.bytes))
        }
        let shared = SharedKeys.shared(server.key.bytes, initiatorKey)
        let message = ServerLink.map(.key, [.init("key", .bytes(session.publicKey.bytes))])
        progress.toSend.append(try link.seal(message, key: shared.bytes))
        self.link = link
        phase = .key(session)
    }

    private mutating func fromInitiator(
        _ message: Span<UInt8>, _ nonce: SignalingNonce, _ progress: inout SignalingProgress
    ) throws(SignalingError) {
        switch phase {
        case .waiting: progress.events.append(.discarded(from: nonce.source))
        case .key(let own):
            let shared = SharedKeys.shared(server.key.bytes, initiatorKey)
            let plaintext = try link!.open(message, nonce, key: shared.bytes, .key)
            let theirs = try ResponderHandshake.publicKey(plaintext, .key, .key)
            guard theirs != initiatorKey, theirs != server.key.publicKey else { throw .sessionKeyIsPermanent }
            let session = SharedKeys.shared(own.bytes, theirs)
            phase = .auth(session)
            let members = [.init("your_cookie", .bytes(nonce.cookie.bytes))] + TaskNegotiation.offer(tasks)
            progress.toSend.append(try link!.seal(ServerLink.map(.auth, members), key: session.bytes))
        case .auth(let session):
            let plaintext = try link!.open(message, nonce, key: session.bytes, .auth)
            if let code = Self.close(plaintext) {
                progress.events.append(.peerCloses(code))
                return conversation.finish(code == .noSharedTask ? .noSharedTask : .goingAway, nil)
            }
            let fields = try ResponderHandshake.auth(plaintext, repeating: link!.cookie)
            let (task, data) = try TaskNegotiation.chosen(tasks, in: fields)
            let peer = PairedPeer(address: link!.other, publicKey: initiatorKey, task: task, taskData: data)
            conversation.link = PairedLink(peer: peer, link: link!, key: session)
            token = nil
            progress.events.append(.paired(peer))
        }
    }

    /// The reason in a `close` that comes instead of the initiator's `auth`; nil for any other message.
    private static func close(_ plaintext: [UInt8]) -> CloseCode? {
        guard case .close(let code)? = try? PeerContent(plaintext.span, task: .relayedData) else { return nil }
        return code ?? .protocolError
    }
}
