internal import HTTP
internal import SafeServer

/// The answer to `GET /health`. It is given without a thread that may block, so that it comes also if all of these wait
/// for the store. The throttle does not count it: it costs no more than a refusal.
enum HealthAnswer {
    static let path = "/health"

    /// - Returns: nil for all other requests.
    static func answer(to request: ServerRequest) -> HTTPResponse? {
        guard request.target == path else { return nil }
        return .page("ok\n", type: "text/plain; charset=utf-8", to: request.method)
    }
}

extension HTTPResponse {
    /// A text to GET and HEAD, else 405.
    static func page(_ text: String, type: String, to method: String, status: Int = 200) -> HTTPResponse {
        guard method == "GET" || method == "HEAD" else {
            return HTTPResponse(status: 405, headers: ["allow": "GET, HEAD", "content-length": "0"])
        }
        let body = Array(text.utf8)
        return HTTPResponse(
            status: status, body: method == "HEAD" ? [] : body,
            headers: ["content-type": type, "content-length": String(body.count), "cache-control": "no-store"])
    }
}
