internal import HTTP

/// Whether a store can be used, with a line for everybody who reaches the server.
package struct ReadinessReport: Equatable, Sendable {
    /// Whether uploads can be stored.
    package let isReady: Bool
    /// One line, without a line break at its end.
    package let text: String

    /// - Parameter text: one line. It names neither ids nor paths nor accounts.
    package init(isReady: Bool, text: String) {
        self.isReady = isReady
        self.text = text
    }

    /// 200 or 503 to GET and HEAD, else 405.
    func answer(to method: String) -> HTTPResponse {
        .page(text + "\n", type: "text/plain; charset=utf-8", to: method, status: isReady ? 200 : 503)
    }
}
