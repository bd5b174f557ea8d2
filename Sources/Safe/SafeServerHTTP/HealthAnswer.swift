internal import HTTP
package import SafeServer
package import SafeStore

/// Answers `GET /health` and passes on all other requests. The throttle does not count it: it costs no more than a
/// refusal.
package struct HealthAnswer: SafeAnswering {
    static let path = "/health"
    private let others: any SafeAnswering

    /// - Parameter others: answers all other requests.
    package init(before others: any SafeAnswering) { self.others = others }

    /// Answers or passes on.
    package func examine(_ request: ServerRequest, at now: ClockReading) -> ExaminedRequest {
        guard request.target == Self.path else { return others.examine(request, at: now) }
        return .answer(.page("ok\n", type: "text/plain; charset=utf-8", to: request.method))
    }
}

extension HTTPResponse {
    /// 200 with a text to GET and HEAD, else 405.
    static func page(_ text: String, type: String, to method: String) -> HTTPResponse {
        guard method == "GET" || method == "HEAD" else {
            return HTTPResponse(status: 405, headers: ["allow": "GET, HEAD", "content-length": "0"])
        }
        let body = Array(text.utf8)
        return HTTPResponse(
            status: 200, body: method == "HEAD" ? [] : body,
            headers: ["content-type": type, "content-length": String(body.count), "cache-control": "no-store"])
    }
}
