internal import SecureMemory
public import ThreemaMessages

/// One request to a media server. The blobs of requests and replies are in memory as a whole; `BlobStream` seals and
/// opens larger files, and `BlobForm` tells how to send them with an HTTP client that streams.
public struct MediaRequest: Equatable, Sendable {
    /// The methods that a media server knows; the raw value is HTTP's name.
    public enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
    }

    /// The method to send the request with.
    public let method: Method
    /// URL of the server, with a slash at its end.
    public let base: String
    /// Appended to `base`; begins with no slash.
    public let path: String
    /// Lines `NAME: VALUE`. Ordinary memory, also if they contain a token.
    public let headers: [String]
    /// The body to POST, in ordinary memory; nil for a GET.
    public let body: [UInt8]?
    /// Longest answer that has to be read, in bytes.
    public let maxAnswerBytes: Int
}

/// What a media server wants to see before it takes or gives a blob.
public enum MediaAuthorization: Sendable {
    /// Nothing.
    case none
    /// `Authorization: ThreemaBlobToken TOKEN`, with a token of the directory (`identity/blob_cred`).
    case blobToken(EnclosedBytes)
    /// `Authorization: Token TOKEN`, of a server that a company runs itself.
    case token(EnclosedBytes)

    /// - Throws: `.badToken` for a token with other characters than printable ASCII, or without any.
    func headers() throws(MediaError) -> [String] {
        switch self {
        case .none: []
        case .blobToken(let token): ["Authorization: ThreemaBlobToken " + (try Self.text(token))]
        case .token(let token): ["Authorization: Token " + (try Self.text(token))]
        }
    }

    private static func text(_ token: EnclosedBytes) throws(MediaError) -> String {
        let bytes = token.bytes.revealBytes()
        guard !bytes.isEmpty, bytes.allSatisfy({ (0x21...0x7e).contains($0) }) else { throw .badToken }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// What a media server answered to one request.
public struct MediaReply: Sendable {
    /// HTTP's status code.
    public let status: Int
    /// At most as many bytes as the request permits, or one more.
    public let body: [UInt8]

    /// What a client has received. Redirects are not followed.
    public init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }
}

/// A request to a media server, and how its reply is read.
public struct MediaQuestion<Answer>: Sendable {
    /// The request to send. Give its reply to `answer(_:)`.
    public let request: MediaRequest
    private let read: @Sendable (MediaReply) throws(MediaError) -> Answer

    init(_ request: MediaRequest, read: @escaping @Sendable (MediaReply) throws(MediaError) -> Answer) {
        self.request = request
        self.read = read
    }

    /// Reads the reply to `request`.
    /// - Throws: `.unauthorized` for status 401, `.unknownBlob` for 404, `.unexpectedStatus` for any other except 200
    ///   and 204; `.tooLong`; `.malformed`.
    public func answer(_ reply: MediaReply) throws(MediaError) -> Answer {
        switch reply.status {
        case 200, 204: break
        case 401: throw .unauthorized
        case 404: throw .unknownBlob
        default: throw .unexpectedStatus(reply.status)
        }
        guard reply.body.count <= request.maxAnswerBytes else { throw .tooLong(limit: request.maxAnswerBytes) }
        return try read(reply)
    }
}

/// Why a media server's reply is no answer, or a request cannot be made.
public enum MediaError: Error, Equatable, Sendable {
    /// The token has other characters than printable ASCII, or none.
    case badToken
    /// Status 401.
    case unauthorized
    /// Status 404: there is no such blob, or not any more.
    case unknownBlob
    /// Any other status.
    case unexpectedStatus(Int)
    /// The body is longer than the request's limit, in bytes.
    case tooLong(limit: Int)
    /// The answer to an upload is not an ID.
    case malformed
}
