package import SafeWire

/// A request and its result, for `--verbose`. It contains no header, login, body or backup id.
package struct ObservedRequest: Sendable {
    /// GET, PUT, DELETE or MKCOL.
    package let method: String
    /// The URL, with `…` in place of secret parts.
    package let url: String
    /// The status of the answer, or the error.
    package let result: Result<Int, SafeExchangeError>
    /// Length of the request's body in bytes; of the answer's body if the request has none.
    package let bytes: Int
    /// Time from before the connection to the end of the answer.
    package let duration: Duration
}
