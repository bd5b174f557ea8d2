/// An HTTP request. Server and login are in the `HTTPEndpoint`.
package struct HTTPRequest: Sendable {
    /// The request method.
    package enum Method: String, Sendable {
        case get = "GET"
        /// The answer has the headers of the GET and no body.
        case head = "HEAD"
        case put = "PUT"
        case post = "POST"
        case delete = "DELETE"
        /// Creates a directory (WebDAV, RFC 4918, 9.3).
        case mkcol = "MKCOL"
    }

    package let method: Method
    /// Appended to the endpoint's URL; or an absolute URL of the same origin, after a redirect.
    package let path: String
    /// Lines `NAME: VALUE`. `NAME:` removes a header that the client would add.
    package var headers: [String]
    /// The body of a PUT or a POST.
    package var body: [UInt8]?
    /// Longest body of the answer, in bytes. A longer one is cut there, unless it is needed: that of a GET or a POST
    /// with status 200 fails with `HTTPError.bodyTooLong`.
    package var limit: Int
    package var timeouts: HTTPTimeouts

    package init(
        _ method: Method, _ path: String = "", headers: [String] = [], body: [UInt8]? = nil, limit: Int,
        timeouts: HTTPTimeouts = HTTPTimeouts()
    ) {
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
        self.limit = limit
        self.timeouts = timeouts
    }
}

/// The timeouts of a request.
package struct HTTPTimeouts: Sendable {
    /// For the connection, including the TLS handshake.
    package var connect: Duration
    /// For a pause in which no byte is sent or received.
    package var idle: Duration
    /// For the whole request, up to the last byte of the answer.
    package var total: Duration

    package init(
        connect: Duration = .seconds(15), idle: Duration = .seconds(30), total: Duration = .seconds(120)
    ) {
        self.connect = connect
        self.idle = idle
        self.total = total
    }
}
