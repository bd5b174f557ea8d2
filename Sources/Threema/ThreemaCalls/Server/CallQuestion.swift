internal import SecureMemory
internal import ThreemaMessages

/// A POST to a server of group calls.
public struct CallRequest: Equatable, Sendable {
    /// Longest answer that has to be read, in bytes.
    public static let maxAnswerBytes = 256 * 1024

    /// The server's address, with a slash at its end.
    public let base: String
    /// Appended to `base`; begins with no slash.
    public let path: String
    /// Lines `NAME: VALUE`. Ordinary memory, although one has the token.
    public let headers: [String]
    /// The body to POST: a message of Protocol Buffers.
    public let body: [UInt8]
    /// Give up the whole request after this time.
    public let timeout: Duration
}

/// What a server of group calls answered to one request. Redirects are not followed.
public struct CallReply: Sendable {
    /// HTTP's status code.
    public let status: Int
    /// At most as many bytes as the request permits, or one more.
    public let body: [UInt8]

    /// What a client has received.
    public init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }
}

/// A request to a server of group calls, and how its reply is read.
public struct CallQuestion<Answer>: Sendable {
    /// The request to send. Give its reply to `answer(_:)`.
    public let request: CallRequest
    private let read: @Sendable (Span<UInt8>) throws(CallMessageError) -> Answer

    init(
        _ verb: String, _ call: GroupCallID, at server: CallServer, token: EnclosedBytes, body: [UInt8],
        timeout: Duration, read: @escaping @Sendable (Span<UInt8>) throws(CallMessageError) -> Answer
    ) throws(CallQuestionError) {
        let bytes = token.bytes.revealBytes()
        guard !bytes.isEmpty, bytes.allSatisfy({ (0x21...0x7e).contains($0) }) else { throw .badToken }
        let text = String(decoding: bytes, as: UTF8.self)
        request = CallRequest(
            base: server.url, path: "v1/\(verb)/\(call)",
            headers: ["Authorization: ThreemaSfuToken \(text)", "Content-Type: application/octet-stream"], body: body,
            timeout: timeout)
        self.read = read
    }

    /// Reads the reply to `request`.
    /// - Throws: `.badRequest` for status 400, `.unauthorized` for 401, `.unknownCall` for 404, `.otherVersion`
    ///   for 419, `.full` for 503, `.unexpectedStatus` for any other except 200; `.tooLong`; `.malformed`.
    public func answer(_ reply: CallReply) throws(CallQuestionError) -> Answer {
        switch reply.status {
        case 200: break
        case 400: throw .badRequest
        case 401: throw .unauthorized
        case 404: throw .unknownCall
        case 419: throw .otherVersion
        case 503: throw .full
        default: throw .unexpectedStatus(reply.status)
        }
        guard reply.body.count <= CallRequest.maxAnswerBytes else { throw .tooLong(limit: CallRequest.maxAnswerBytes) }
        do throws(CallMessageError) {
            return try read(reply.body.span)
        } catch {
            throw .malformed(error)
        }
    }
}

/// Why a server's reply is no answer, or a request cannot be made.
public enum CallQuestionError: Error, Equatable, Sendable {
    /// The token has other characters than printable ASCII, or none.
    case badToken
    /// Status 400: the server does not understand the request.
    case badRequest
    /// Status 401: fetch another token from the directory.
    case unauthorized
    /// Status 404: the call is over, or has never begun.
    case unknownCall
    /// Status 419: the call has another version of the protocol.
    case otherVersion
    /// Status 503: the call, or the server, has no room for another participant.
    case full
    /// Any other status.
    case unexpectedStatus(Int)
    /// The body is longer than the limit, in bytes.
    case tooLong(limit: Int)
    /// The body is no answer.
    case malformed(CallMessageError)
}
