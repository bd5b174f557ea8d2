public import ByteStreams
public import Threema
public import ThreemaMessages

/// A chat server with its queues in memory, for tests and for trying a client out: what many connections have to do
/// with each other. It has no I/O: a listener tells it what arrives and obeys it.
///
/// It delivers messages, acknowledges them, closes silent connections, and knows one connection for each identity. Its
/// queues have no limit, and end with the process.
public final class ChatServer: StreamHandler {
    /// What a server does with time and words.
    public struct Settings: Sendable {
        /// How long a client may take to log in.
        public var loginTimeout = Duration.seconds(20)
        /// How long a client may be silent, unless it asks for another time.
        public var idleTimeout = IdleTimer.standard
        /// Each client is told this after its login.
        public var alert: String?
        /// The time in Unix milliseconds at the clock's zero, which clients are told at the login; nil for no time.
        public var startMilliseconds: UInt64?

        /// The standard times, no alert, and no time for clients.
        public init() {}
    }

    /// Bytes for one connection that may wait for the system to take them. More messages stay in the queue.
    static let windowBytes = 256 << 10

    private let key: ServerKey
    private let settings: Settings
    private let publicKey: (ThreemaID) -> PublicKey?
    /// Called with each message that a client sends, as it is on the wire.
    package var observe: (MessagePayload) -> Void = { _ in }
    private let push: (PushToken, [UInt8]) -> Void
    private var accounts: [ThreemaID: ChatAccount] = [:]
    private var clients: [Int: ServedClient] = [:]
    /// What a listener is told to do when the present call returns, before `changed` is added.
    private var actions: [StreamAction] = []
    /// Clients with frames that are to be sent.
    private var changed: [ServedClient] = []

    /// - Parameters:
    ///   - key: one of the permanent keys that clients know.
    ///   - publicKey: the public key of an identity; nil if there is no such identity.
    ///   - push: gets the payload of a notification for a platform's service, when a message comes for an identity that has
    ///     a token and no connection. It is empty for services other than Apple's.
    public init(
        key: ServerKey, settings: Settings = Settings(), publicKey: @escaping (ThreemaID) -> PublicKey?,
        push: @escaping (PushToken, [UInt8]) -> Void = { _, _ in }
    ) {
        self.key = key
        self.settings = settings
        self.publicKey = publicKey
        self.push = push
    }

    /// How many messages are kept for an identity.
    public func queuedCount(for identity: ThreemaID) -> Int { accounts[identity]?.queue.count ?? 0 }

    /// A client has `loginTimeout` from now on.
    public func opened(_ connection: Int, at now: Duration) -> [StreamAction] {
        clients[connection] = ServedClient(
            connection, ChatServerConnection(serverKey: key), deadline: now + settings.loginTimeout)
        return []
    }

    /// Answers the client, and delivers its messages to others that are connected.
    public func received(_ bytes: Span<UInt8>, from connection: Int, at now: Duration) -> [StreamAction] {
        guard let client = clients[connection] else { return [] }
        use(client.half.receive(bytes, publicKey: publicKey), of: client, at: now)
        return takeActions()
    }

    /// Continues to deliver a long queue.
    public func drained(_ connection: Int, at now: Duration) -> [StreamAction] {
        guard let client = clients[connection], client.waitingBytes > 0 else { return [] }
        client.waitingBytes = 0
        deliver(to: client, at: now)
        return takeActions()
    }

    /// Messages stay in the queue until the next login.
    public func closed(_ connection: Int, at now: Duration) -> [StreamAction] {
        remove(connection)
        return []
    }

    /// Of the client that is to be closed next; nil without clients.
    public var deadline: Duration? { clients.values.lazy.map(\.deadline).min() }

    /// Closes the clients that were silent for too long.
    public func due(at now: Duration) -> [StreamAction] {
        for client in clients.values.filter({ $0.deadline <= now }) { close(client) }
        return takeActions()
    }

    /// The frames of each client go out in one piece.
    private func takeActions() -> [StreamAction] {
        for client in changed { flush(client) }
        changed = []
        defer { actions = [] }
        return actions
    }

    private func flush(_ client: ServedClient) {
        guard !client.frames.isEmpty else { return }
        actions.append(.send(client.frames, to: client.connection))
        client.frames = []
    }

    private func close(_ client: ServedClient) {
        flush(client)
        actions.append(.close(client.connection))
        remove(client.connection)
    }

    private func remove(_ connection: Int) {
        guard let client = clients.removeValue(forKey: connection) else { return }
        if client.account?.connection == connection { client.account?.connection = nil }
    }

    private func use(
        _ progress: ChatProgress<ChatServerConnection.Event>, of client: ServedClient, at now: Duration
    ) {
        send(progress.toSend, to: client)
        for event in progress.events {
            client.noteActivity(event, at: now)
            switch event {
            case .login(let id, let extensions): logIn(id, extensions, client, at: now)
            case .message(let message): take(message, from: client, at: now)
            case .received(.clientAcknowledgement(let named)): client.account?.queue.acknowledge(named)
            case .received(.pushToken(let registration)): client.account?.push.note(registration)
            case .received(.clearDeviceCookieChange): client.account?.hasOtherCookie = false
            case .received(.unblockIncoming):
                client.isBlocked = false
                deliver(to: client, at: now)
            case .received, .ignored: break
            }
        }
        if progress.failure != nil { close(client) }
    }

    private func logIn(
        _ id: ThreemaID, _ extensions: LoginExtensions, _ client: ServedClient, at now: Duration
    ) {
        let account = accounts[id] ?? ChatAccount()
        accounts[id] = account
        if let former = account.connection.flatMap({ clients[$0] }) {
            // Two devices with one identity would be logged in by turns if either one came back by itself.
            send(.closeError(mayReconnect: false, text: "This ID has logged in elsewhere."), to: former)
            close(former)
        }
        account.connection = client.connection
        account.note(cookie: extensions.deviceCookie)
        account.queue.restart()
        client.account = account
        client.isBlocked = extensions.deviceID != nil
        client.idle = IdleTimer(at: now, timeout: settings.idleTimeout)
        let milliseconds = settings.startMilliseconds.map { $0 + UInt64(now / .milliseconds(1)) }
        let accepted = client.half.accept(
            LoginAcknowledgement(milliseconds: milliseconds ?? 0, queuedCount: UInt32(clamping: account.queue.count)))
        send(accepted.toSend, to: client)
        if account.hasOtherCookie { send(.deviceCookieChanged, to: client) }
        if let text = settings.alert { send(.alert(text), to: client) }
        deliver(to: client, at: now)
        // What the client has sent with its login.
        use(accepted.withoutBytes, of: client, at: now)
    }

    private func take(_ message: MessagePayload, from client: ServedClient, at now: Duration) {
        observe(message)
        // A message to nobody is dropped, and acknowledged, or its sender would send it for ever.
        if let account = account(of: message.receiver) {
            let isNew = account.queue.add(message, at: now, isConnected: account.connection != nil)
            if isNew, account.connection == nil, let pushed = account.push.notification(of: message) {
                push(pushed.token, pushed.payload)
            }
            if let receiver = account.connection.flatMap({ clients[$0] }) { deliver(to: receiver, at: now) }
        }
        guard MessageQueue.isAcknowledged(message) else { return }
        send(.serverAcknowledgement(ChatAcknowledgement(message.receiver, message.id)), to: client)
    }

    /// - Returns: nil if there is no such identity.
    private func account(of id: ThreemaID) -> ChatAccount? {
        if let account = accounts[id] { return account }
        guard publicKey(id) != nil else { return nil }
        let account = ChatAccount()
        accounts[id] = account
        return account
    }

    /// As many messages as the window has room for.
    private func deliver(to client: ServedClient, at now: Duration) {
        // A frame that came in the same piece may have ended the half, and nothing is sealed any more. Messages that are
        // delivered once would be lost.
        guard let account = client.account, !client.isBlocked, client.half.isOpen else { return }
        while client.waitingBytes < Self.windowBytes {
            guard let message = account.queue.deliver(at: now) else {
                if !client.hasWholeQueue { send(.queueSendComplete, to: client) }
                client.hasWholeQueue = true
                return
            }
            let before = client.frames.count
            if before == 0 { changed.append(client) }
            client.half.seal(delivering: message, behind: &client.frames)
            client.waitingBytes += client.frames.count - before
        }
    }

    private func send(_ payload: ChatPayload, to client: ServedClient) {
        if client.frames.isEmpty { changed.append(client) }
        // Not open after a failure, when the connection is about to be closed.
        try? client.half.seal(payload, behind: &client.frames)
    }

    private func send(_ bytes: [UInt8], to client: ServedClient) {
        if client.frames.isEmpty { changed.append(client) }
        client.frames += bytes
    }
}

extension ChatProgress {
    /// The bytes are on their way already.
    fileprivate var withoutBytes: ChatProgress {
        var rest = self
        rest.toSend = []
        return rest
    }
}
