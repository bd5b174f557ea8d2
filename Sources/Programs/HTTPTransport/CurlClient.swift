package import HTTP
internal import Synchronization

/// Implements the port `HTTPClient` with libcurl, which is opened on first use.
///
/// Successive requests to the same endpoint share a connection. It is closed after a failure, and when the client is
/// released. A command has one client.
package final class CurlClient: HTTPClient {
    /// A handle with an open connection, whose last request was answered.
    private final class Kept: Sendable {
        let endpoint: HTTPEndpoint
        let handle: CurlHandle

        init(_ endpoint: consuming HTTPEndpoint, _ handle: CurlHandle) {
            self.endpoint = endpoint
            self.handle = handle
        }
    }

    private let kept = Mutex<[Kept]>([])

    /// Opens nothing.
    package init() {}

    /// The kept handle of this endpoint, or a new one. No other request gets it until it is added to `kept`.
    private func take(_ endpoint: borrowing HTTPEndpoint) throws(HTTPError) -> Kept {
        let found = kept.withLock { kept in
            kept.firstIndex { $0.endpoint.isSame(as: endpoint) }.map { kept.remove(at: $0) }
        }
        if let found { return found }
        return Kept(endpoint.copy, try CurlHandle())
    }

    package func send(
        _ request: HTTPRequest, to endpoint: borrowing HTTPEndpoint, progress: HTTPProgress?
    ) throws(HTTPError) -> HTTPResponse {
        let place = try take(endpoint)
        var curl = try CurlRequest(request, to: endpoint, on: place.handle)
        curl.trust(endpoint.authority)
        curl.require(oneOf: endpoint.pins)
        switch endpoint.login {
        case .some(let login): curl.logIn(login)
        case .none: break
        }
        if let body = request.body { curl.send(body) }
        if let progress { curl.report(to: progress) }
        let result = curl.perform(headers: request.headers)
        switch result.failure {
        case nil:
            place.handle.forget()
            kept.withLock { $0.append(place) }
            return result.response
        case .known(.certificate(.handshake)):
            let isRefusal = try lacksForwardSecrecy(endpoint, request.timeouts)
            throw .certificate(isRefusal ? .noForwardSecrecy : .handshake)
        case .known(let error): throw error
        case .name: throw .connection(NameLookup.failure(of: endpoint.origin?.host ?? ""))
        case .certificate:
            let shown = try shownCertificate(of: endpoint, request.timeouts)
            throw .certificate(shown?.failure(result.verification) ?? .other(result.message))
        case .pin: throw .pinMismatch(offered: try shownCertificate(of: endpoint, request.timeouts)?.pin)
        }
    }

    package func certificate(
        of endpoint: borrowing HTTPEndpoint, isExamined: Bool, within timeouts: HTTPTimeouts
    ) throws(HTTPError) -> PresentedCertificate? {
        guard let shown = try shownCertificate(of: endpoint, timeouts), var certificate = shown.presented else {
            return nil
        }
        guard isExamined else { return certificate }
        var curl = try CurlRequest(HTTPRequest(.get, limit: 0, timeouts: timeouts), to: endpoint, on: CurlHandle())
        curl.trust(certificate.pem)
        let result = curl.connect()
        if case .certificate? = result.failure {
            certificate.flaw = shown.failure(result.verification) ?? .other(result.message)
        }
        return certificate
    }

    /// Whether a handshake that failed succeeds with ciphers that this client never uses for a request. No request and no
    /// login is sent.
    private func lacksForwardSecrecy(
        _ endpoint: borrowing HTTPEndpoint, _ timeouts: HTTPTimeouts
    ) throws(HTTPError) -> Bool {
        let curl = try CurlRequest(HTTPRequest(.get, limit: 0, timeouts: timeouts), to: endpoint, on: CurlHandle())
        curl.offerAllCiphers()
        return !curl.inspect().isEmpty
    }

    /// The certificate that the server shows to a client that trusts every certificate. No request and no login is
    /// sent.
    private func shownCertificate(
        of endpoint: borrowing HTTPEndpoint, _ timeouts: HTTPTimeouts
    ) throws(HTTPError) -> ShownCertificate? {
        let curl = try CurlRequest(HTTPRequest(.get, limit: 0, timeouts: timeouts), to: endpoint, on: CurlHandle())
        return curl.inspect().first.map { ShownCertificate($0) }
    }
}
