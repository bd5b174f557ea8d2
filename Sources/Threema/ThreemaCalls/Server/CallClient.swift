public import HTTP

/// Sends requests to a server of group calls over HTTPS. Nothing is sent twice. The library `ThreemaTransport` makes a
/// client over libcurl.
public struct CallClient: Sendable {
    private let http: any HTTPClient
    private let server: CallServer
    private let userAgent: String

    /// - Parameters:
    ///   - server: that of the requests.
    ///   - userAgent: one line.
    package init(_ http: any HTTPClient, _ server: CallServer, userAgent: String) {
        self.http = http
        self.server = server
        self.userAgent = "User-Agent: " + userAgent
    }

    /// Sends a request and reads its answer.
    public func ask<Answer>(_ request: CallRequest<Answer>) throws(CallFailure) -> Answer {
        try http.ask(request, at: server.endpoint, headers: [userAgent])
    }
}
