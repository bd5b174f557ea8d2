internal import Primitives
internal import SecureMemory
public import Threema
public import ThreemaMessages

/// The server's half of a connection: bytes in, events and bytes out.
///
/// After `.login` it reads nothing until `accept` is called.
public struct ChatServerConnection: ~Copyable, Sendable {
    /// What a server learns from the bytes of a client, in their order.
    public enum Event: Equatable, Sendable {
        /// A client has proven its identity.
        case login(ThreemaID, LoginExtensions)
        /// A message of the client. Acknowledge it after it is stored, unless its flags say otherwise.
        case message(MessagePayload)
        /// Another payload that a client sends. Echo requests are already answered.
        case received(ChatPayload)
        /// A payload of a type that is obsolete, not known, or not a client's.
        case ignored(type: UInt8)
    }

    private enum Phase { case clientHello, login, extensions, waiting, open, over }

    private let serverKey: ServerKey
    private let cookie: ChatCookie
    private let temporaryPublicKey: PublicKey
    /// Released as soon as the login is checked.
    private var temporaryKey: TemporaryKey?
    private var clientHello: (key: PublicKey, cookie: ChatCookie)?
    private var login: LoginData?
    private var boxes: ChatBoxes?
    private var phase = Phase.clientHello
    private var failure: ChatError?
    private var arrived = ByteQueue()

    /// - Parameters:
    ///   - serverKey: one of the permanent keys that clients know.
    ///   - temporaryKey: of this connection only.
    ///   - cookie: of this connection only.
    public init(
        serverKey: ServerKey, temporaryKey: TemporaryKey = .random(), cookie: ChatCookie = .random()
    ) {
        self.serverKey = serverKey
        self.cookie = cookie
        temporaryPublicKey = temporaryKey.publicKey
        self.temporaryKey = temporaryKey
    }

    /// Whether payloads can be sealed: the handshake is finished, and nothing was refused.
    var isOpen: Bool { phase == .open }

    /// Uses bytes of the client.
    /// - Parameter publicKey: the public key of an identity; nil if there is no such identity.
    public mutating func receive(
        _ bytes: Span<UInt8>, publicKey: (ThreemaID) -> PublicKey?
    ) -> ChatProgress<Event> {
        var progress = ChatProgress<Event>()
        if phase != .over { arrived.append(bytes) }
        advance(&progress, publicKey)
        return progress
    }

    /// Finishes the handshake after `.login`.
    /// - Returns: the acknowledgement, and what the client has sent since its login.
    public mutating func accept(_ acknowledgement: LoginAcknowledgement) -> ChatProgress<Event> {
        var progress = ChatProgress<Event>()
        guard phase == .waiting else {
            progress.failure = failure
            return progress
        }
        progress.toSend = boxes!.seal(acknowledgement.encoded.span)
        phase = .open
        advance(&progress) { _ in nil }
        return progress
    }

    /// Seals a payload.
    /// - Returns: the frame. Frames have to be sent in the order in which they were sealed.
    public mutating func seal(_ payload: ChatPayload) throws(ChatSendingError) -> [UInt8] {
        var frame: [UInt8] = []
        try seal(payload, behind: &frame)
        return frame
    }

    /// Seals a message of another client behind other frames.
    mutating func seal(delivering message: MessagePayload, behind frames: inout [UInt8]) {
        guard isOpen, boxes != nil else { return }
        ChatFrame.append(delivering: message, to: &frames, with: &boxes!)
    }

    /// Seals a payload behind other frames.
    mutating func seal(_ payload: ChatPayload, behind frames: inout [UInt8]) throws(ChatSendingError) {
        guard isOpen, boxes != nil else { throw .notOpen }
        guard payload.isFromServer else { throw .wrongDirection }
        try ChatFrame.check(payload)
        ChatFrame.append(payload, to: &frames, with: &boxes!)
    }

    private mutating func advance(_ progress: inout ChatProgress<Event>, _ publicKey: (ThreemaID) -> PublicKey?) {
        if phase != .over {
            do throws(ChatError) {
                try handshake(&progress, publicKey)
                if phase == .open { try frames(&progress) }
            } catch {
                failure = error
                phase = .over
                temporaryKey = nil
                boxes = nil
            }
        }
        progress.failure = failure
    }

    private mutating func handshake(
        _ progress: inout ChatProgress<Event>, _ publicKey: (ThreemaID) -> PublicKey?
    ) throws(ChatError) {
        if phase == .clientHello, let hello = arrived.take(Hello.clientCount) {
            let client = try Hello.decodeClient(hello.span)
            progress.toSend += try Hello.server(temporaryPublicKey, cookie, key: serverKey, client: client)
            clientHello = client
            try derive(client)
            phase = .login
        }
        if phase == .login, let box = arrived.take(Box.tagCount + LoginData.count) {
            login = try openLogin(box.span)
            phase = .extensions
        }
        guard phase == .extensions, let login, let box = arrived.take(Int(login.extensionsBoxCount)) else { return }
        let extensions = try openExtensions(box.span)
        try checkVouch(login, publicKey)
        // From now on only the session key is needed.
        temporaryKey = nil
        phase = .waiting
        progress.events.append(.login(login.identity, extensions))
    }

    private mutating func derive(_ client: (key: PublicKey, cookie: ChatCookie)) throws(ChatError) {
        guard let temporaryKey else { return }
        do throws(SharedKeyError) {
            let session = try ChatSecrets.shared(temporaryKey.bytes, client.key)
            // The server's number 1 is that of its hello.
            boxes = ChatBoxes(
                key: session, own: ChatNonces(cookie, sequence: 2), other: ChatNonces(client.cookie, sequence: 1))
        } catch {
            throw .weakTemporaryKey
        }
    }

    private mutating func openLogin(_ box: Span<UInt8>) throws(ChatError) -> LoginData {
        guard let plaintext = try? boxes!.open(box) else { throw .loginNotAuthentic }
        let login: LoginData
        do throws(LoginDataError) {
            login = try LoginData(decoding: plaintext.span)
        } catch {
            throw .loginData(error)
        }
        guard login.serverCookie == cookie else { throw .serverCookieNotRepeated }
        return login
    }

    private mutating func openExtensions(_ box: Span<UInt8>) throws(ChatError) -> LoginExtensions {
        guard let plaintext = try? boxes!.open(box) else { throw .extensionsNotAuthentic }
        do throws(LoginExtensionError) {
            return try LoginExtensions(decoding: plaintext.span)
        } catch {
            throw .extensions(error)
        }
    }

    private func checkVouch(
        _ login: LoginData, _ publicKey: (ThreemaID) -> PublicKey?
    ) throws(ChatError) {
        guard let client = publicKey(login.identity) else { throw .unknownIdentity }
        guard let temporaryKey, let clientHello else { throw .wrongVouch }
        let vouch: [UInt8]
        do throws(SharedKeyError) {
            let key = ChatSecrets.vouchKey(
                permanent: try ChatSecrets.shared(serverKey.bytes, client),
                temporary: try ChatSecrets.shared(temporaryKey.bytes, client))
            vouch = ChatSecrets.vouch(key: key, serverCookie: cookie, temporaryClientKey: clientHello.key)
        } catch {
            throw .wrongVouch
        }
        guard ConstantTime.areEqual(vouch.span, login.vouch.span) else { throw .wrongVouch }
    }

    private mutating func frames(_ progress: inout ChatProgress<Event>) throws(ChatError) {
        while let payload = try arrived.openFrame(with: &boxes!) {
            switch payload {
            case .outgoingMessage(let bytes): progress.events.append(.message(try message(bytes)))
            case .echoRequest(let bytes):
                // Fits: the request was in a frame of the same length.
                ChatFrame.append(.echoResponse(bytes), to: &progress.toSend, with: &boxes!)
                progress.events.append(.received(payload))
            case .echoResponse, .incomingMessage, .serverAcknowledgement, .clientAcknowledgement, .unblockIncoming,
                .pushToken, .voipPushToken, .deletePushTokens, .idleTimeout, .queueSendComplete,
                .deviceCookieChanged, .clearDeviceCookieChange, .closeError, .alert, .unknown:
                progress.events.append(payload.isFromClient ? .received(payload) : .ignored(type: payload.type))
            }
        }
    }

    private func message(_ bytes: [UInt8]) throws(ChatError) -> MessagePayload {
        guard let message = try? MessagePayload(decoding: bytes.span) else { throw .malformedMessage }
        guard message.sender == login?.identity else { throw .wrongSender }
        return message
    }
}
