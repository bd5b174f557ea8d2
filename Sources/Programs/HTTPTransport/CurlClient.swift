package import HTTP
package import SecureMemory
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

    /// libcurl's version and those of the libraries that it uses; nil if it cannot be used.
    package static var libraryVersion: String? { (try? Curl.opened.get())?.version }

    /// Opens libcurl, so that nobody is asked for what could not be sent.
    /// - Throws: if it cannot be used.
    package static func requireLibrary() throws(SharedLibrary.Failure) { _ = try Curl.opened.get() }

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
        if let upload = request.upload { curl.send(upload) }
        if let download = request.download { curl.pass(to: download) }
        if let progress { curl.report(to: progress) }
        let result = curl.perform(headers: request.headers)
        if let failure = result.failure { throw try error(failure, of: result, endpoint, request.timeouts) }
        place.handle.forget()
        kept.withLock { $0.append(place) }
        return result.response
    }

    /// The error of a failure. If libcurl does not tell enough, asks the name server or the server again.
    private func error(
        _ failure: CurlRequest.Result.Failure, of result: CurlRequest.Result, _ endpoint: borrowing HTTPEndpoint,
        _ timeouts: HTTPTimeouts
    ) throws(HTTPError) -> HTTPError {
        switch failure {
        case .known(.certificate(.handshake)):
            return .certificate(try lacksForwardSecrecy(endpoint, timeouts) ? .noForwardSecrecy : .handshake)
        case .known(let error): return error
        case .name: return .connection(NameLookup.failure(of: endpoint.origin?.host ?? ""))
        case .certificate:
            let shown = try shownCertificate(of: endpoint, timeouts)
            return .certificate(shown?.failure(result.verification) ?? .other(result.message))
        case .pin:
            let offered = try shownCertificate(of: endpoint, timeouts)?.pin
            return .pinMismatch(expected: endpoint.pins, offered: offered)
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

    package func chain(
        of endpoint: borrowing HTTPEndpoint, within timeouts: HTTPTimeouts
    ) throws(HTTPError) -> [PresentedCertificate] {
        let curl = try CurlRequest(HTTPRequest(.get, limit: 0, timeouts: timeouts), to: endpoint, on: CurlHandle())
        let (result, chain) = curl.inspect()
        if let failure = result.failure { throw try error(failure, of: result, endpoint, timeouts) }
        return chain.compactMap { ShownCertificate($0).presented }
    }

    /// Whether a handshake that failed succeeds with ciphers that this client never uses for a request. No request and no
    /// login is sent.
    private func lacksForwardSecrecy(
        _ endpoint: borrowing HTTPEndpoint, _ timeouts: HTTPTimeouts
    ) throws(HTTPError) -> Bool {
        let curl = try CurlRequest(HTTPRequest(.get, limit: 0, timeouts: timeouts), to: endpoint, on: CurlHandle())
        curl.offerAllCiphers()
        return !curl.inspect().chain.isEmpty
    }

    /// The certificate that the server shows to a client that trusts every certificate. No request and no login is
    /// sent.
    private func shownCertificate(
        of endpoint: borrowing HTTPEndpoint, _ timeouts: HTTPTimeouts
    ) throws(HTTPError) -> ShownCertificate? {
        let curl = try CurlRequest(HTTPRequest(.get, limit: 0, timeouts: timeouts), to: endpoint, on: CurlHandle())
        return curl.inspect().chain.first.map { ShownCertificate($0) }
    }
}
