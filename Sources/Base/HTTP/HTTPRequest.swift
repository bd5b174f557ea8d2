/// One request. It names no server and holds no login: those are the endpoint's.
package struct HTTPRequest: Sendable {
    /// What is asked.
    package enum Method: String, Sendable {
        case get = "GET"
        case put = "PUT"
        case delete = "DELETE"
        /// WebDAV's: make a directory (RFC 4918, 9.3).
        case mkcol = "MKCOL"
    }

    package let method: Method
    /// Appended to the endpoint's URL; or a whole URL of the same origin, where a redirect leads.
    package let path: String
    /// Lines `NAME: VALUE`; `NAME:` takes back one that the client would send by itself.
    package var headers: [String]
    /// What goes along with a PUT.
    package var body: [UInt8]?
    /// Longest body of an answer that is read, in bytes.
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

/// How long a request may take.
package struct HTTPTimeouts: Sendable {
    /// Until there is a connection, the TLS handshake included.
    package var connect: Duration
    /// Without a byte in either direction.
    package var idle: Duration
    /// From the beginning to the last byte of the answer.
    package var total: Duration

    package init(
        connect: Duration = .seconds(15), idle: Duration = .seconds(30), total: Duration = .seconds(120)
    ) {
        self.connect = connect
        self.idle = idle
        self.total = total
    }
}
