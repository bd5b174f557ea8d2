public import HTTP
internal import Ratchet
public import SecureMemory

/// A request to a TextSecure server, without its address and its login, and how its response is read.
public struct ServerRequest<Answer: Sendable>: ~Copyable, Sendable {
    /// The method to send the request with.
    public let method: HTTPRequest.Method
    /// Appended to the server's address; or an absolute URL, for an attachment.
    public let path: String
    /// Whether it is sent with the account's login. An attachment's own server must not get it.
    public let isAuthorized: Bool
    /// MIME type of the body; nil without a body.
    public let contentType: String?
    /// The body, in guarded memory because it can hold the signaling key; nil for none.
    public let body: SecureBytes?
    /// Longest answer, in bytes.
    public let maxAnswerCount: Int
    private let meanings: [Int: ServerError]
    private let read: @Sendable (HTTPResponse) throws(ServerError) -> Answer

    /// - Parameter meanings: of statuses that mean something else to this request than to others.
    init(
        _ method: HTTPRequest.Method, _ path: String, isAuthorized: Bool = true, contentType: String? = nil,
        body: consuming SecureBytes? = nil, maxAnswerCount: Int = 64 * 1024, meanings: [Int: ServerError] = [:],
        read: @escaping @Sendable (HTTPResponse) throws(ServerError) -> Answer
    ) {
        self.method = method
        self.path = path
        self.isAuthorized = isAuthorized
        self.contentType = contentType
        self.body = consume body
        self.maxAnswerCount = maxAnswerCount
        self.meanings = meanings
        self.read = read
    }

    /// Reads the response.
    /// - Throws: `ServerError`.
    public borrowing func answer(_ response: HTTPResponse) throws(ServerError) -> Answer {
        try ServerError.check(response, meanings, limit: maxAnswerCount)
        return try read(response)
    }

    /// The request for an HTTP client, which needs the body in ordinary memory.
    package borrowing func revealHTTPRequest() -> HTTPRequest {
        HTTPRequest(
            method, path, headers: contentType.map { ["Content-Type: " + $0] } ?? [], body: revealBody(),
            limit: maxAnswerCount)
    }

    private borrowing func revealBody() -> [UInt8]? {
        switch body {
        case .some(let body): body.revealBytes()
        case .none: nil
        }
    }
}

/// Why a request was not made, or has no usable answer.
public enum ServerError: ServiceError {
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

    /// What a status means to most requests; nil for success: 200 and 204.
    public static func meaning(of response: HTTPResponse) -> ServerError? {
        switch response.status {
        case 200, 204: nil
        case 401: .unauthorized
        case 404: .notFound
        case 409: .wrongDevices
        case 410: .staleDevices
        case 413: .tooManyRequests
        case 415: .badJSON
        default: .unexpectedStatus(response.status)
        }
    }
}

extension AccountPassword {
    /// What is sent with every request but the one for a code: `Login.authorization` is the header.
    public func login(_ number: AccountNumber) -> Login {
        Login(user: number.text, password: held.bytes.withBytes { SecureBytes(copying: $0) })
    }
}
