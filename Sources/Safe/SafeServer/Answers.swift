internal import HTTP
internal import SafeStore

/// The media types of the Safe protocol.
enum MediaType {
    static let config = "application/json"
    static let backup = "application/octet-stream"
}

extension HTTPResponse {
    /// How long a client is asked to wait if the store cannot serve it now, in seconds.
    private static let retrySeconds = 5

    /// An answer without a body. A status of 204 has no length (RFC 9110, 8.6).
    static func empty(_ status: Int, _ headers: [String: String] = [:]) -> HTTPResponse {
        var headers = headers
        headers["cache-control"] = "no-store"
        if status != 204 { headers["content-length"] = "0" }
        return HTTPResponse(status: status, headers: headers)
    }

    static let tooLarge = empty(413)

    /// 401: log in by Basic authentication.
    static let challenge = empty(401, ["www-authenticate": "Basic realm=\"Safe\", charset=\"UTF-8\""])

    /// 200 with a body.
    static func content(_ body: [UInt8], type: String, tag: String? = nil) -> HTTPResponse {
        var headers = [
            "content-type": type, "content-length": String(body.count), "cache-control": "no-store",
            // The body is what somebody has uploaded.
            "x-content-type-options": "nosniff", "accept-ranges": "none",
        ]
        headers["etag"] = tag
        return HTTPResponse(status: 200, body: body, headers: headers)
    }

    /// 429, with the time to wait rounded up to seconds.
    static func throttled(_ wait: Duration) -> HTTPResponse {
        let (seconds, rest) = wait.components
        return empty(429, ["retry-after": String(max(1, seconds + (rest > 0 ? 1 : 0)))])
    }

    /// 507, 503, 500, 429 or 401.
    init(_ error: StoreError) {
        self =
            switch error {
            case .full, .quota: .empty(507)
            case .throttled: .throttled(.seconds(Self.retrySeconds))
            case .busy, .unavailable: .empty(503, ["retry-after": String(Self.retrySeconds)])
            case .forbidden: .challenge
            case .failed: .empty(500)
            }
    }

    /// The answer to a HEAD: the headers of the GET.
    var withoutBody: HTTPResponse { HTTPResponse(status: status, headers: headers) }
}
