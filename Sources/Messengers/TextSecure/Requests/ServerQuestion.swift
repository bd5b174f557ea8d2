/// A request, and how its answer is read.
public struct ServerQuestion<Answer: Sendable>: ~Copyable, Sendable {
    /// The request to send. Give its answer to `answer(_:)`.
    public let request: ServerRequest
    private let meanings: StatusMeanings
    private let read: @Sendable (ServerReply) throws(ServerError) -> Answer

    init(
        _ request: consuming ServerRequest, _ meanings: StatusMeanings = .init(),
        _ read: @escaping @Sendable (ServerReply) throws(ServerError) -> Answer
    ) {
        self.request = request
        self.meanings = meanings
        self.read = read
    }

    /// Reads the answer.
    /// - Throws: `ServerError`.
    public borrowing func answer(_ reply: ServerReply) throws(ServerError) -> Answer {
        if let error = meanings.error(reply.status) { throw error }
        guard reply.body.count <= request.maxAnswerCount else { throw .tooLong(limit: request.maxAnswerCount) }
        return try read(reply)
    }
}

/// What the statuses mean that differ between requests.
struct StatusMeanings: Sendable {
    /// Status 400.
    var badRequest: ServerError?
    /// Status 403.
    var forbidden: ServerError?
    /// Status 415.
    var unsupported = ServerError.badJSON

    /// - Returns: nil for success: 200 and 204.
    func error(_ status: Int) -> ServerError? {
        switch status {
        case 200, 204: nil
        case 400: badRequest ?? .unexpectedStatus(400)
        case 401: .unauthorized
        case 403: forbidden ?? .unexpectedStatus(403)
        case 404: .notFound
        case 409: .wrongDevices
        case 410: .staleDevices
        case 413: .tooManyRequests
        case 415: unsupported
        default: .unexpectedStatus(status)
        }
    }
}

/// Why a request was not made, or has no usable answer.
public enum ServerError: Error, Equatable, Sendable {
    /// The server does not take the number (400).
    case badNumber
    /// The server does not take a token (400).
    case badToken
    /// Number or password is wrong, or there is no header with them (401).
    case unauthorized
    /// The code that confirms the number is wrong (403).
    case wrongCode
    /// There is no such account, key or attachment (404).
    case notFound
    /// A later server: the receiver has other devices than the message is for (409).
    case wrongDevices
    /// A later server: a device of the receiver was installed again (410).
    case staleDevices
    /// Too many requests (413). Wait before the next one.
    case tooManyRequests
    /// Neither SMS nor voice (415).
    case badTransport
    /// The server cannot read the body (415).
    case badJSON
    /// Any other status.
    case unexpectedStatus(Int)
    /// More bytes than allowed.
    case tooLong(limit: Int)
    /// More elements than allowed.
    case tooMany(limit: Int)
    /// The answer is not JSON, or this field is missing or has another form.
    case malformed(field: String)
    /// A parameter of the request is empty, too long, or has other characters than allowed.
    case badParameter
}
