internal import SecureMemory
public import Threema
public import ThreemaMessages

/// The initiator's side of a path: the web client.
///
/// Pass each message of the WebSocket to `receive`, and send what comes back. A responder that fails is dropped, and
/// the next one may pair; a server that fails, and a paired responder that does, end the connection.
public struct InitiatorClient: ~Copyable, Sendable {
    /// How the initiator recognises its responder.
    public enum Trust: Sendable {
        /// A first pairing: by the token of the QR code, once.
        case token(AuthToken)
        /// A trusted pairing: by its permanent key.
        case peer(PublicKey)
    }

    /// The subprotocol of the WebSocket.
    public static let subprotocol = ServerLink.subprotocol

    private let tasks: [OfferedTask]
    private let randomness: SignalingRandomness
    /// Nil after it was used.
    private var token: AuthToken?
    /// Nil until a first pairing is finished.
    private var trustedPeer: PublicKey?
    private var server: ServerLink
    private var responders: [SignalingAddress: ResponderHandshake] = [:]
    private var conversation = Conversation()

    /// - Parameters:
    ///   - key: its public key is the path.
    ///   - serverKey: the permanent key that the server must have; nil for any server.
    ///   - tasks: the first one that the responder has, too, is chosen. At least one, each once.
    ///   - pingSeconds: how often the server asks if the client is there; 0 for its default.
    public init(
        key: PermanentKey, trust: Trust, serverKey: PublicKey?, tasks: [OfferedTask], pingSeconds: UInt32 = 0,
        randomness: SignalingRandomness = .system
    ) {
        precondition((1...SignalingTask.maxCount).contains(tasks.count))
        switch trust {
        case .token(let token): self.token = token
        case .peer(let peer): trustedPeer = peer
        }
        self.tasks = tasks
        self.randomness = randomness
        server = ServerLink(
            key: key, isInitiator: true, serverKey: serverKey, pingSeconds: pingSeconds, randomness)
    }

    /// The path of the WebSocket's URL, without a slash: 64 lower-case hexadecimal digits.
    public var path: String { server.key.publicKey.hex }
    /// The responder whose handshake is finished; nil for none.
    public var peer: PairedPeer? { conversation.link?.peer }

    /// Takes a binary message of the WebSocket.
    public mutating func receive(_ message: Span<UInt8>) -> SignalingProgress {
        var progress = SignalingProgress()
        if conversation.goesOn {
            do throws(SignalingError) {
                try advance(message, &progress)
            } catch {
                conversation.finish(error == .noSharedTask ? .noSharedTask : .protocolError, error)
            }
            if !conversation.goesOn { forget() }
        }
        return conversation.told(progress)
    }

    /// Seals a message for the paired responder.
    /// - Returns: a binary message for the WebSocket. They have to be sent in the order in which they were sealed.
    public mutating func send(_ message: PeerMessage) throws(SignalingSendingError) -> [UInt8] {
        try conversation.seal(message)
    }

    /// Drops a responder, for example one whose handshake takes too long.
    /// - Parameter reason: one that `isDropReason`.
    /// - Returns: what to send; nil if there is no such responder.
    public mutating func drop(_ responder: SignalingAddress, reason: CloseCode = .droppedByInitiator) -> [UInt8]? {
        let isPaired = conversation.link?.peer.address == responder
        guard conversation.goesOn, responders[responder] != nil || isPaired else { return nil }
        if isPaired { conversation.link = nil }
        responders[responder] = nil
        return try? server.drop(responder, reason)
    }

    /// Tells the paired responder that this side closes, and ends.
    public mutating func close(_ code: CloseCode = .goingAway) -> SignalingProgress {
        let progress = conversation.close(code)
        forget()
        return progress
    }

    private mutating func forget() {
        token = nil
        responders = [:]
    }
}

extension InitiatorClient {
    private mutating func advance(
        _ message: Span<UInt8>, _ progress: inout SignalingProgress
    ) throws(SignalingError) {
        let nonce = try SignalingLink.nonce(of: message)
        try server.checkDestination(nonce)
        // The sender is not proved before the box opens: its address only chooses limit and key.
        switch nonce.source {
        case SignalingNonce.server: try fromServer(message, nonce, &progress)
        case SignalingNonce.initiator: throw .wrongSource(nonce.source)
        case _ where server.phase != .open: throw .wrongSource(nonce.source)
        case conversation.link?.peer.address: try conversation.receive(message, nonce, &progress)
        case _ where responders[nonce.source] == nil: progress.events.append(.discarded(from: nonce.source))
        default: try fromResponder(message, nonce, &progress)
        }
    }

    private mutating func fromServer(
        _ message: Span<UInt8>, _ nonce: SignalingNonce, _ progress: inout SignalingProgress
    ) throws(SignalingError) {
        try SignalingLink.checkCount(of: message, limit: SignalingLink.maxHandshakeCount)
        switch server.phase {
        case .hello: progress.toSend = try server.hello(message, nonce)
        case .auth:
            let peers = try server.auth(message, nonce)
            progress.events.append(.connected(address: server.address, peers: peers))
            for peer in peers { expect(peer) }
        case .open:
            switch try server.open(message, nonce) {
            case .newResponder(let address): try joined(address, &progress)
            case .disconnected(let address): left(address, &progress)
            case .sendError(let address, let sequence):
                responders[address] = nil
                progress.events.append(.notDelivered(to: address, sequence: sequence))
            // The server's messages to an initiator are only these.
            case .newInitiator: break
            }
        }
    }

    private mutating func expect(_ address: SignalingAddress) {
        responders[address] = ResponderHandshake(
            address, peer: trustedPeer, ownKey: server.key, tasks: tasks, randomness)
    }

    /// A new responder has the address: an earlier one has left.
    private mutating func joined(
        _ address: SignalingAddress, _ progress: inout SignalingProgress
    ) throws(SignalingError) {
        if conversation.link?.peer.address == address { left(address, &progress) }
        progress.events.append(.peerJoined(address))
        if conversation.link == nil {
            expect(address)
        } else {
            try drop(address, .droppedByInitiator, nil, &progress)
        }
    }

    private mutating func left(_ address: SignalingAddress, _ progress: inout SignalingProgress) {
        responders[address] = nil
        if conversation.link?.peer.address == address { conversation.link = nil }
        progress.events.append(.peerLeft(address))
    }

    private mutating func drop(
        _ address: SignalingAddress, _ reason: CloseCode, _ refusal: SignalingError?,
        _ progress: inout SignalingProgress
    ) throws(SignalingError) {
        responders[address] = nil
        progress.toSend.append(try server.drop(address, reason))
        progress.events.append(.dropped(address, reason, refusal))
    }

    /// - Throws: `.noSharedTask`; all else drops the responder.
    private mutating func fromResponder(
        _ message: Span<UInt8>, _ nonce: SignalingNonce, _ progress: inout SignalingProgress
    ) throws(SignalingError) {
        do throws(SignalingError) {
            // Anybody can be a responder, and send anything.
            try SignalingLink.checkCount(of: message, limit: SignalingLink.maxHandshakeCount)
            switch try responders[nonce.source]!.receive(message, nonce, token: token, randomness) {
            case .send(let answer): progress.toSend.append(answer)
            case .tokenUsed: token = nil
            case .paired(let link, let answer):
                progress.toSend.append(answer)
                try pair(link, &progress)
            }
        } catch .noSharedTask {
            if let close = responders[nonce.source]?.close(.noSharedTask) { progress.toSend.append(close) }
            throw .noSharedTask
        } catch {
            try drop(nonce.source, Self.reason(error), error, &progress)
        }
    }

    /// Tells a responder with another token or key from one that breaks the protocol.
    private static func reason(_ error: SignalingError) -> CloseCode {
        switch error {
        case .notAuthentic(.token), .notAuthentic(.key), .tokenUsed: .initiatorCouldNotDecrypt
        default: .protocolError
        }
    }

    /// All other responders go. A peer that comes back needs no token.
    private mutating func pair(_ link: PairedLink, _ progress: inout SignalingProgress) throws(SignalingError) {
        conversation.link = link
        token = nil
        trustedPeer = link.peer.publicKey
        responders[link.peer.address] = nil
        progress.events.append(.paired(link.peer))
        for other in responders.keys.sorted() { try drop(other, .droppedByInitiator, nil, &progress) }
    }
}
