public import HTTP

/// Sends requests to a media server over HTTPS. Nothing is sent twice: a repeated upload would leave a second blob.
/// The library `ThreemaTransport` makes a client over libcurl.
public struct MediaClient: Sendable {
    static let timeouts = HTTPTimeouts(connect: .seconds(30), idle: .seconds(30), total: .seconds(100))

    /// For a blob that does not have to fit into memory: a second more for each 64 KiB.
    /// - Parameter count: most bytes of it.
    static func timeouts(for count: Int) -> HTTPTimeouts {
        HTTPTimeouts(connect: timeouts.connect, idle: timeouts.idle, total: timeouts.total + .seconds(count >> 16))
    }

    private let http: any HTTPClient
    package let server: MediaServer
    private let userAgent: String

    /// - Parameters:
    ///   - server: that of the requests.
    ///   - userAgent: one line.
    package init(_ http: any HTTPClient, _ server: MediaServer, userAgent: String) {
        self.http = http
        self.server = server
        self.userAgent = "User-Agent: " + userAgent
    }

    /// Sends a request and reads its answer. Both are in memory as a whole.
    public func ask<Answer>(
        _ request: MediaRequest<Answer>, progress: HTTPProgress? = nil
    ) throws(MediaFailure) -> Answer {
        try http.ask(request, at: server.endpoint(request.base), headers: [userAgent], progress: progress)
    }
}
