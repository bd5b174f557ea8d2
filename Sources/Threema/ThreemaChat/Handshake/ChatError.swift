/// Why a connection ended. Nothing here holds a piece of a message, and after each of them the connection is over.
public enum ChatError: Error, Equatable, Sendable {
    // Of a client.
    /// No permanent key of the server opens its hello: it is another server, or the bytes were changed.
    case serverHelloNotAuthentic
    /// The server's hello does not repeat the client's cookie, so it may be a replay.
    case clientCookieNotRepeated
    /// The server drew the client's cookie: nonces would be used twice.
    case cookiesAreEqual
    /// A temporary key is a point of low order.
    case weakTemporaryKey
    /// The acknowledgement of the login does not open.
    case loginAcknowledgementNotAuthentic

    // Of a server.
    /// The login data do not open.
    case loginNotAuthentic
    /// The login data open, but are malformed.
    case loginData(LoginDataError)
    /// The extensions do not open.
    case extensionsNotAuthentic
    /// The extensions open, but are malformed.
    case extensions(LoginExtensionError)
    /// The login data do not repeat the server's cookie.
    case serverCookieNotRepeated
    /// The server does not know this identity.
    case unknownIdentity
    /// The client does not have the private key of the identity.
    case wrongVouch
    /// A message of the client is not one.
    case malformedMessage
    /// A message of the client names another sender.
    case wrongSender

    // Of both.
    /// A frame is shorter than its tag and the header of a payload.
    case frameTooShort(minimum: Int, actual: Int)
    /// A frame is longer than the limit.
    case frameTooLong(limit: Int, actual: Int)
    /// A frame does not open: it was changed, left out, repeated or moved.
    case frameNotAuthentic
    /// A frame opens, but its payload is malformed.
    case payload(type: UInt8, ChatPayloadError)
}
