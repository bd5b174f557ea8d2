internal import Primitives
internal import SecureMemory
public import Threema
public import ThreemaMessages

/// The client's half of a connection to a chat server: bytes in, events and bytes out.
///
/// Send `hello` first. Pass on what arrives, in pieces of any length, and send what comes back.
public struct ChatClient: ~Copyable, Sendable {
    /// What a client learns from the bytes of the server, in their order.
    public enum Event: Equatable, Sendable {
        /// The handshake is finished: payloads may be sent.
        case loggedIn(LoginAcknowledgement)
        /// A payload that a server sends. Echo requests are already answered.
        case received(ChatPayload)
        /// A payload of a type that is obsolete, not known, or not a server's.
        case ignored(type: UInt8)
    }

    /// The first bytes of the connection, 48.
    public let hello: [UInt8]

    private enum Phase { case serverHello, acknowledgement, open, over }

    private let identity: ThreemaID
    private let serverKeys: [PublicKey]
    private let extensions: LoginExtensions
    private let cookie: ChatCookie
    /// Both are wiped after the login is made.
    private var clientKey: EnclosedKey?
    private var temporaryKey: TemporaryKey?
    private var boxes: ChatBoxes?
    private var phase = Phase.serverHello
    private var failure: ChatError?
    private var arrived = ByteQueue()

    /// - Parameters:
    ///   - identity: who logs in. Its key is copied, and the copy wiped after the login.
    ///   - serverKeys: the permanent keys that the server may have: the current one and alternatives.
    ///   - extensions: what the client says of itself.
    ///   - temporaryKey: of this connection only.
    ///   - cookie: of this connection only.
    public init(
        identity: borrowing Identity, serverKeys: [PublicKey], extensions: LoginExtensions,
        temporaryKey: TemporaryKey = .random(), cookie: ChatCookie = .random()
    ) {
        self.identity = identity.id
        self.serverKeys = serverKeys
        self.extensions = extensions
        self.cookie = cookie
        hello = Hello.client(temporaryKey.publicKey, cookie)
        clientKey = EnclosedKey(identity.clientKey.bytes.withBytes { SecureBytes(copying: $0) })
        self.temporaryKey = temporaryKey
    }

    /// Whether payloads can be sent.
    public var isOpen: Bool { phase == .open }

    /// Whether the login is made, and the server has not answered it.
    var awaitsAcknowledgement: Bool { phase == .acknowledgement }

    /// Uses bytes of the server.
    public mutating func receive(_ bytes: Span<UInt8>) -> ChatProgress<Event> {
        var progress = ChatProgress<Event>()
        if phase != .over {
            arrived.append(bytes)
            do throws(ChatError) {
                try advance(&progress)
            } catch {
                failure = error
                phase = .over
                clientKey = nil
                temporaryKey = nil
                boxes = nil
            }
        }
        progress.failure = failure
        return progress
    }

    /// Seals a payload.
    /// - Returns: the frame. Frames have to be sent in the order in which they were sealed.
    public mutating func seal(_ payload: ChatPayload) throws(ChatSendingError) -> [UInt8] { try seal([payload]) }

    /// Seals payloads.
    /// - Returns: the frames, one behind the other.
    /// - Throws: if one of the payloads is refused. None is sealed then.
    public mutating func seal(_ payloads: [ChatPayload]) throws(ChatSendingError) -> [UInt8] {
        guard phase == .open, boxes != nil else { throw .notOpen }
        for payload in payloads { try check(payload) }
        var frames: [UInt8] = []
        frames.reserveCapacity(payloads.reduce(0) { $0 + ChatFrame.count(of: $1) })
        for payload in payloads { ChatFrame.append(payload, to: &frames, with: &boxes!) }
        return frames
    }

    private func check(_ payload: ChatPayload) throws(ChatSendingError) {
        guard payload.isFromClient else { throw .wrongDirection }
        if case .idleTimeout(let seconds) = payload, !ChatPayload.idleTimeoutSeconds.contains(seconds) {
            throw .outOfRange
        }
        try ChatFrame.check(payload)
    }

    private mutating func advance(_ progress: inout ChatProgress<Event>) throws(ChatError) {
        if phase == .serverHello, let hello = arrived.take(Hello.serverCount) {
            progress.toSend += try login(hello.span)
            phase = .acknowledgement
        }
        if phase == .acknowledgement, let box = arrived.take(Box.tagCount + LoginAcknowledgement.count) {
            progress.events.append(.loggedIn(try acknowledgement(box.span)))
            phase = .open
        }
        guard phase == .open else { return }
        while let payload = try arrived.openFrame(with: &boxes!) {
            guard payload.isFromServer else {
                progress.events.append(.ignored(type: payload.type))
                continue
            }
            // Fits: the request was in a frame of the same length.
            if case .echoRequest(let bytes) = payload {
                ChatFrame.append(.echoResponse(bytes), to: &progress.toSend, with: &boxes!)
            }
            progress.events.append(.received(payload))
        }
    }

    /// - Returns: both boxes of the login.
    private mutating func login(_ hello: Span<UInt8>) throws(ChatError) -> [UInt8] {
        guard let temporaryKey, let clientKey else { return [] }
        defer {
            self.temporaryKey = nil
            self.clientKey = nil
        }
        let server = try Hello.open(
            hello, temporaryKey: temporaryKey, clientCookie: cookie, serverKeys: serverKeys)
        let session = try Self.shared(temporaryKey.bytes, server.temporaryKey)
        let permanent = try Self.shared(clientKey.bytes, server.permanentKey)
        let temporary = try Self.shared(clientKey.bytes, server.temporaryKey)
        let vouchKey = ChatSecrets.vouchKey(permanent: permanent, temporary: temporary)
        let extensionBytes = extensions.encoded
        let data = LoginData(
            identity: identity, extensionsBoxCount: UInt16(Box.tagCount + extensionBytes.count),
            serverCookie: server.cookie,
            vouch: ChatSecrets.vouch(
                key: vouchKey, serverCookie: server.cookie, temporaryClientKey: temporaryKey.publicKey))
        // The server's number 1 was that of its hello.
        boxes = ChatBoxes(
            key: session, own: ChatNonces(cookie, sequence: 1), other: ChatNonces(server.cookie, sequence: 2))
        return boxes!.seal(data.encoded.span) + boxes!.seal(extensionBytes.span)
    }

    private static func shared(
        _ privateKey: borrowing SecureBytes, _ publicKey: PublicKey
    ) throws(ChatError) -> SecureBytes {
        do throws(SharedKeyError) {
            return try ChatSecrets.shared(privateKey, publicKey)
        } catch {
            throw .weakTemporaryKey
        }
    }

    private mutating func acknowledgement(_ box: Span<UInt8>) throws(ChatError) -> LoginAcknowledgement {
        let plaintext: [UInt8]
        do throws(AuthenticationError) {
            plaintext = try boxes!.open(box)
        } catch {
            throw .loginAcknowledgementNotAuthentic
        }
        return LoginAcknowledgement(decoding: plaintext.span)
    }
}
