public import SafeWire

/// One request and how it was answered, for somebody who wants to see what was asked. Holds no header, login, body or
/// backup id.
public struct ObservedRequest: Sendable {
    /// GET, PUT, DELETE or MKCOL.
    public let method: String
    /// With `…` for what is not shown.
    public let url: String
    /// The answer's status, or why there is none.
    public let result: Result<Int, SafeExchangeError>
    /// Length of the body that was sent; of the answer's body if none was sent.
    public let bytes: Int
    /// From before the connection to the end of the answer.
    public let duration: Duration
}
