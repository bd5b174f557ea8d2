public import ByteStreams
public import Threema
internal import ThreemaMessages

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

        /// The defaults.
        public init() {}
    }

    /// Bytes for one connection that may wait for the system to take them. More messages stay in the queue.
    static let windowBytes = 256 << 10

    private let key: ServerKey
    private let settings: Settings
    private let publicKey: (ThreemaID) -> PublicKey?
    private var accounts: [ThreemaID: ChatAccount] = [:]
    private var clients: [Int: ServedClient] = [:]

    /// - Parameters:
    ///   - key: one of the permanent keys that clients know.
    ///   - publicKey: the public key of an identity; nil if there is no such identity.
    public init(key: ServerKey, settings: Settings = Settings(), publicKey: @escaping (ThreemaID) -> PublicKey?) {
        self.key = key
        self.settings = settings
        self.publicKey = publicKey
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
        let progress = client.half.receive(bytes, publicKey: publicKey)
        var actions: [StreamAction] = []
        use(progress, of: client, at: now, &actions)
        return actions
    }

    /// Continues to deliver a long queue.
    public func drained(_ connection: Int, at now: Duration) -> [StreamAction] {
        guard let client = clients[connection], client.waitingBytes > 0 else { return [] }
        client.waitingBytes = 0
        var actions: [StreamAction] = []
        deliver(to: client, at: now, &actions)
        return actions
    }

    /// Messages stay in the queue until the next login.
    public func closed(_ connection: Int, at now: Duration) -> [StreamAction] {
        guard let client = clients.removeValue(forKey: connection) else { return [] }
        if client.account?.connection == connection { client.account?.connection = nil }
        return []
    }

    /// Of the client that is to be closed next; nil without clients.
    public var deadline: Duration? { clients.values.lazy.map(\.deadline).min() }

    /// Closes the clients that were silent for too long.
    public func due(at now: Duration) -> [StreamAction] {
        var actions: [StreamAction] = []
        for client in clients.values.filter({ $0.deadline <= now }) { close(client, &actions) }
        return actions
    }

    private func close(_ client: ServedClient, _ actions: inout [StreamAction]) {
        actions.append(.close(client.connection))
        actions += closed(client.connection, at: .zero)
    }

    private func use(
        _ progress: ChatProgress<ChatServerConnection.Event>, of client: ServedClient, at now: Duration,
        _ actions: inout [StreamAction]
    ) {
        if !progress.toSend.isEmpty { actions.append(.send(progress.toSend, to: client.connection)) }
        for event in progress.events {
            client.noteActivity(event, at: now)
            switch event {
            case .login(let id, let extensions): logIn(id, extensions, client, at: now, &actions)
            case .message(let message): take(message, from: client, at: now, &actions)
            case .received(.clientAcknowledgement(let named)): client.account?.queue.acknowledge(named)
            case .received(.clearDeviceCookieChange): client.account?.hasOtherCookie = false
            case .received(.unblockIncoming):
                client.isBlocked = false
                deliver(to: client, at: now, &actions)
            case .received, .ignored: break
            }
        }
        if progress.failure != nil { close(client, &actions) }
    }

    private func logIn(
        _ id: ThreemaID, _ extensions: LoginExtensions, _ client: ServedClient, at now: Duration,
        _ actions: inout [StreamAction]
    ) {
        let account = accounts[id] ?? ChatAccount()
        accounts[id] = account
        if let former = account.connection.flatMap({ clients[$0] }) {
            // Two devices with one identity would be logged in by turns if either one came back by itself.
            send(.closeError(mayReconnect: false, text: "This ID has logged in elsewhere."), to: former, &actions)
            close(former, &actions)
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
        actions.append(.send(accepted.toSend, to: client.connection))
        if account.hasOtherCookie { send(.deviceCookieChanged, to: client, &actions) }
        if let text = settings.alert { send(.alert(text), to: client, &actions) }
        deliver(to: client, at: now, &actions)
        // What the client has sent with its login.
        use(accepted.withoutBytes, of: client, at: now, &actions)
    }

    private func take(
        _ message: MessagePayload, from client: ServedClient, at now: Duration, _ actions: inout [StreamAction]
    ) {
        // A message to nobody is dropped, and acknowledged, or its sender would send it for ever.
        if let account = account(of: message.receiver) {
            account.queue.add(message, at: now, isConnected: account.connection != nil)
            if let receiver = account.connection.flatMap({ clients[$0] }) { deliver(to: receiver, at: now, &actions) }
        }
        guard MessageQueue.isAcknowledged(message) else { return }
        send(.serverAcknowledgement(ChatAcknowledgement(message.receiver, message.id)), to: client, &actions)
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
    private func deliver(to client: ServedClient, at now: Duration, _ actions: inout [StreamAction]) {
        // A frame that came in the same piece may have ended the half, and nothing is sealed any more. Messages that are
        // delivered once would be lost.
        guard let account = client.account, !client.isBlocked, client.half.isOpen else { return }
        while client.waitingBytes < Self.windowBytes {
            guard let message = account.queue.deliver(at: now) else {
                if !client.hasWholeQueue { send(.queueSendComplete, to: client, &actions) }
                client.hasWholeQueue = true
                return
            }
            client.waitingBytes += send(.incomingMessage(message.encoded), to: client, &actions)
        }
    }

    /// - Returns: the length of the frame in bytes.
    @discardableResult
    private func send(_ payload: ChatPayload, to client: ServedClient, _ actions: inout [StreamAction]) -> Int {
        // Not open after a failure, when the connection is about to be closed.
        guard let frame = try? client.half.seal(payload) else { return 0 }
        actions.append(.send(frame, to: client.connection))
        return frame.count
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
