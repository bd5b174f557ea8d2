public import HTTP
internal import Ratchet
public import SecureMemory

/// A request to a TextSecure server, without its address and its login.
public struct ServerRequest: ~Copyable, Sendable {
    /// The methods that the server knows; the raw value is HTTP's name.
    public enum Method: String, Sendable {
        case get = "GET"
        case put = "PUT"
        case post = "POST"
    }

    /// The method to send the request with.
    public let method: Method
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

    init(_ method: Method, _ path: String, isAuthorized: Bool = true, maxAnswerCount: Int = 64 * 1024) {
        self.method = method
        self.path = path
        self.isAuthorized = isAuthorized
        contentType = nil
        body = nil
        self.maxAnswerCount = maxAnswerCount
    }

    init(
        _ method: Method, _ path: String, isAuthorized: Bool = true, contentType: String = "application/json",
        body: consuming SecureBytes, maxAnswerCount: Int = 64 * 1024
    ) {
        self.method = method
        self.path = path
        self.isAuthorized = isAuthorized
        self.contentType = contentType
        self.body = consume body
        self.maxAnswerCount = maxAnswerCount
    }

    /// The request for an HTTP client, which needs the body in ordinary memory.
    package borrowing func revealHTTPRequest() -> HTTPRequest {
        let method: HTTPRequest.Method =
            switch method {
            case .get: .get
            case .put: .put
            case .post: .post
            }
        return HTTPRequest(
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

/// An answer as it was received, of any status.
public struct ServerReply: Sendable {
    /// HTTP's status code.
    public let status: Int
    /// The content; empty for none. Read no more of it than the request's `maxAnswerCount` bytes.
    public let body: [UInt8]

    /// An answer that was received.
    public init(status: Int, body: [UInt8] = []) {
        self.status = status
        self.body = body
    }
}

extension AccountPassword {
    /// What is sent with every request but the one for a code: `Login.authorization` is the header.
    public func login(_ number: AccountNumber) -> Login {
        Login(user: number.text, password: held.bytes.withBytes { SecureBytes(copying: $0) })
    }
}
