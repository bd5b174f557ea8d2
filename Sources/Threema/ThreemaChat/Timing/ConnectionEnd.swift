import ByteStreams

/// How a connection to a chat server has ended, or why there was none: what ``ReconnectPolicy`` decides by.
public enum ConnectionEnd: Equatable, Sendable {
    /// There is no way to the server, or the connection broke off. A server that closes the connection of a silent
    /// client says nothing either.
    case network
    /// The server did not answer an echo request.
    case noEcho
    /// The server has said that it closes the connection. It permits no return, for example, after the same identity
    /// has logged in elsewhere: two that return would log each other out for ever.
    case closedByServer(mayReconnect: Bool)
    /// The server has closed the connection instead of an answer to the log-in: it does not know the identity, or its
    /// key is another one. A network that breaks off at this point looks alike.
    case loginRefused
    /// The other side does not prove that it has one of the server's permanent keys.
    case wrongServer
    /// An authentic server has sent what was refused, or somebody has changed its bytes.
    case refusedBytes
    /// This side has closed the connection.
    case stopped

    /// The end that an error of a `ByteStream` or a ``ChatSession`` means.
    /// - Returns: nil for `.sending`, after which a session is in use, and for other types of errors.
    public init?(_ error: any Error) {
        switch error {
        case is StreamError, ChatSessionError.stream: self = .network
        case ChatSessionError.noEcho: self = .noEcho
        case ChatSessionError.closedByServer(let mayReconnect): self = .closedByServer(mayReconnect: mayReconnect)
        case ChatSessionError.loginRefused: self = .loginRefused
        case ChatSessionError.chat(let error): self = error.isOfServerProof ? .wrongServer : .refusedBytes
        default: return nil
        }
    }
}

extension ChatError {
    /// Whether the server's hello was refused.
    fileprivate var isOfServerProof: Bool {
        switch self {
        case .serverHelloNotAuthentic, .clientCookieNotRepeated, .cookiesAreEqual, .weakTemporaryKey: true
        default: false
        }
    }
}
