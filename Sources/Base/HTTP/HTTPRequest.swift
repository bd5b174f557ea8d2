/// An HTTP request, without the server's address and its login.
public struct HTTPRequest: Sendable {
    /// The request method; the raw value is HTTP's name.
    public enum Method: String, Sendable {
        case get = "GET"
        /// The answer has the headers of the GET and no body.
        case head = "HEAD"
        case put = "PUT"
        case post = "POST"
        case delete = "DELETE"
        /// Creates a directory (WebDAV, RFC 4918, 9.3).
        case mkcol = "MKCOL"
    }

    /// The method to send the request with.
    public let method: Method
    /// Appended to the endpoint's URL; or an absolute URL of the same origin, after a redirect.
    public let path: String
    /// Lines `NAME: VALUE`, in ordinary memory even if one has a token. `NAME:` removes a header that the client would
    /// add.
    public package(set) var headers: [String]
    /// The body of a PUT or a POST, in ordinary memory even if it has a secret.
    public package(set) var body: [UInt8]?
    /// Sent instead of `body`, piece by piece.
    package let upload: HTTPUpload?
    /// Takes the body of an answer with status 200, which the response does not have then.
    package let download: HTTPDownload?
    /// Longest body of the answer, in bytes. A longer one is cut there, unless it is needed: that of a GET or a POST
    /// with status 200 fails with `HTTPError.bodyTooLong`.
    public package(set) var limit: Int
    /// Give up after these times.
    public package(set) var timeouts: HTTPTimeouts
    /// Whether sending it again after a temporary failure is safe: it changes nothing at the server. The default is
    /// true for a GET.
    public let isRepeatable: Bool

    package init(
        _ method: Method, _ path: String = "", headers: [String] = [], body: [UInt8]? = nil, limit: Int,
        timeouts: HTTPTimeouts = HTTPTimeouts(), isRepeatable: Bool? = nil, upload: HTTPUpload? = nil,
        download: HTTPDownload? = nil
    ) {
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
        self.upload = upload
        self.download = download
        self.limit = limit
        self.timeouts = timeouts
        self.isRepeatable = isRepeatable ?? (method == .get)
    }
}

/// The timeouts of a request.
public struct HTTPTimeouts: Sendable {
    /// For the connection, including the TLS handshake.
    public let connect: Duration
    /// For a pause in which no byte is sent or received.
    public let idle: Duration
    /// For the whole request, up to the last byte of the answer.
    public let total: Duration

    /// The whole time for a request, if nobody sets another one.
    private static let usualTotal = Duration.seconds(120)

    /// - Parameter idle: nil for 30 seconds; with a `total` above the usual one, a server may be silent all the time.
    package init(connect: Duration = .seconds(15), idle: Duration? = nil, total: Duration? = nil) {
        let total = total ?? Self.usualTotal
        self.connect = connect
        self.idle = idle ?? (total > Self.usualTotal ? total : .seconds(30))
        self.total = total
    }
}
