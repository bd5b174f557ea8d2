/// A progress handler: bytes sent or received so far, and the total, which is 0 if it is not known.
public typealias HTTPProgress = @Sendable (_ done: Int, _ total: Int) -> Void

/// The port to HTTPS. It sends requests to trusted servers only.
package protocol HTTPClient: Sendable {
    /// Sends a request once and returns the answer, of any status. Redirects are not followed. Only a GET
    /// or HEAD may be sent twice, if the connection breaks before the first byte of the answer.
    /// - Parameter progress: called on the caller's thread while bytes are sent and received.
    /// - Throws: `HTTPError`. After `.connection` the server may have executed the request.
    func send(
        _ request: HTTPRequest, to endpoint: borrowing HTTPEndpoint, progress: HTTPProgress?
    ) throws(HTTPError) -> HTTPResponse

    /// The certificate that the server shows now, trusted or not. No request is sent.
    /// - Parameter isExamined: connect once more and trust only this certificate, to find other failures
    ///   (`PresentedCertificate.flaw`).
    /// - Returns: nil if the server shows no certificate, or if it cannot be parsed.
    func certificate(
        of endpoint: borrowing HTTPEndpoint, isExamined: Bool, within timeouts: HTTPTimeouts
    ) throws(HTTPError) -> PresentedCertificate?

    /// The certificates that the server sends now, its own first, trusted or not. No request is sent. Nothing proves that
    /// one of them has issued another. Those that cannot be parsed are left out.
    func chain(
        of endpoint: borrowing HTTPEndpoint, within timeouts: HTTPTimeouts
    ) throws(HTTPError) -> [PresentedCertificate]
}

/// A client that changes or tells requests, and sends them by another one, which also asks for certificates.
package protocol ForwardingClient: HTTPClient {
    var client: any HTTPClient { get }
}

extension ForwardingClient {
    package func certificate(
        of endpoint: borrowing HTTPEndpoint, isExamined: Bool, within timeouts: HTTPTimeouts
    ) throws(HTTPError) -> PresentedCertificate? {
        try client.certificate(of: endpoint, isExamined: isExamined, within: timeouts)
    }

    package func chain(
        of endpoint: borrowing HTTPEndpoint, within timeouts: HTTPTimeouts
    ) throws(HTTPError) -> [PresentedCertificate] { try client.chain(of: endpoint, within: timeouts) }
}
