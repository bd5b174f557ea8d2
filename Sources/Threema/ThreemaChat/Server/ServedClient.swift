/// A connection of a `ChatServer`.
final class ServedClient {
    let connection: Int
    var half: ChatServerConnection
    /// Nil before the login.
    var account: ChatAccount?
    var idle: IdleTimer?
    /// One of several devices gets messages when it asks for them.
    var isBlocked = false
    /// Whether the client was told that its queue is sent.
    var hasWholeQueue = false
    /// What is sent when the present call of the server returns.
    var frames: [UInt8] = []
    /// Bytes of messages that the system may not have taken yet.
    var waitingBytes = 0

    private let loginDeadline: Duration

    /// - Parameter deadline: of the login.
    init(_ connection: Int, _ half: consuming ChatServerConnection, deadline: Duration) {
        self.connection = connection
        self.half = half
        loginDeadline = deadline
    }

    /// When the connection is to be closed.
    var deadline: Duration { idle?.deadline ?? loginDeadline }

    func noteActivity(_ event: ChatServerConnection.Event, at now: Duration) {
        switch event {
        case .message: idle?.receivedMessage(at: now)
        case .received(let payload): idle?.received(payload, at: now)
        case .login, .ignored: break
        }
    }
}

/// What a `ChatServer` knows of an identity.
final class ChatAccount {
    var queue = MessageQueue()
    var push = ServedPush()
    /// Of the client that is logged in.
    var connection: Int?
    /// Whether another device has logged in, and the user does not know of it yet.
    var hasOtherCookie = false
    private var cookie: [UInt8]?

    /// Notes the device cookie of a login. A client without one proves nothing.
    func note(cookie new: [UInt8]?) {
        guard let new else { return }
        if let cookie, cookie != new { hasOtherCookie = true }
        cookie = new
    }
}
