/// How many bytes of a request or an answer have gone or come, and how many there are; 0 if nobody knows.
package typealias HTTPProgress = @Sendable (_ done: Int, _ total: Int) -> Void

/// The port to HTTPS: sends requests to servers that are trusted, and to no others.
package protocol HTTPClient: Sendable {
    /// Sends a request once and waits for the answer, whatever its status is. Redirects are not followed. Only a GET
    /// may be sent twice, if a connection breaks before the first byte of its answer.
    /// - Parameter progress: called often while bytes go or come, on the caller's thread.
    /// - Throws: `HTTPError`. After a `.connection` the request may have been carried out.
    func send(
        _ request: HTTPRequest, to endpoint: borrowing HTTPEndpoint, progress: HTTPProgress?
    ) throws(HTTPError) -> HTTPResponse

    /// The certificate that the server shows now, trusted or not. Nothing is asked.
    /// - Parameter isExamined: connect once more and trust this certificate alone, to see what else is wrong with it
    ///   (`PresentedCertificate.flaw`).
    /// - Returns: nil if the server shows none, or if it cannot be read.
    func certificate(
        of endpoint: borrowing HTTPEndpoint, isExamined: Bool, within timeouts: HTTPTimeouts
    ) throws(HTTPError) -> PresentedCertificate?
}
