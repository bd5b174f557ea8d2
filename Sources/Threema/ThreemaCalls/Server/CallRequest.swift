public import HTTP
internal import SecureMemory
internal import ThreemaMessages

/// A POST to a server of group calls, of a message of Protocol Buffers.
public typealias CallRequest<Answer> = ServiceRequest<Answer, CallError>

/// Why a request to a server of group calls has no answer.
public typealias CallFailure = ServiceFailure<CallError>

extension ServiceRequest where Failure == CallError {
    /// - Parameter timeout: for the whole request.
    init(
        _ verb: String, _ call: GroupCallID, at server: CallServer, token: EnclosedBytes, body: [UInt8],
        timeout: Duration, read: @escaping @Sendable (Span<UInt8>) throws(CallMessageError) -> Answer
    ) throws(CallError) {
        let bytes = token.bytes.revealBytes()
        guard !bytes.isEmpty, bytes.allSatisfy({ (0x21...0x7e).contains($0) }) else { throw .badToken }
        let text = String(decoding: bytes, as: UTF8.self)
        let request = HTTPRequest(
            .post, "v1/\(verb)/\(call)",
            headers: ["Authorization: ThreemaSfuToken \(text)", "Content-Type: application/octet-stream"], body: body,
            limit: 256 * 1024, timeouts: HTTPTimeouts(connect: timeout, idle: timeout, total: timeout))
        self.init(request, base: server.url) { (response) throws(CallError) in
            do throws(CallMessageError) { return try read(response.body.span) } catch { throw .malformed(error) }
        }
    }
}

/// Why a server's response is not an answer, or a request cannot be made.
public enum CallError: ServiceError {
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

    /// `.badRequest` for status 400, `.unauthorized` for 401, `.unknownCall` for 404, `.otherVersion` for 419, `.full`
    /// for 503, `.unexpectedStatus` for any other except 200.
    public static func meaning(of response: HTTPResponse) -> CallError? {
        switch response.status {
        case 200: nil
        case 400: .badRequest
        case 401: .unauthorized
        case 404: .unknownCall
        case 419: .otherVersion
        case 503: .full
        default: .unexpectedStatus(response.status)
        }
    }
}
