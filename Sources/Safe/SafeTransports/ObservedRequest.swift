package import SafeWire

/// One request and how it was answered, for somebody who wants to see what was asked. Holds no header, login, body or
/// backup id.
package struct ObservedRequest: Sendable {
    /// GET, PUT, DELETE or MKCOL.
    package let method: String
    /// With `…` for what is not shown.
    package let url: String
    /// The answer's status, or why there is none.
    package let result: Result<Int, SafeExchangeError>
    /// Length of the body that was sent; of the answer's body if none was sent.
    package let bytes: Int
    /// From before the connection to the end of the answer.
    package let duration: Duration
}
