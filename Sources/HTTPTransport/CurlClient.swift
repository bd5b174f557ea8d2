internal import CCurl
package import HTTP

/// The port `HTTPClient` by libcurl, which is opened on first use. Every request has a connection of its own.
package final class CurlClient: HTTPClient {
    /// Opens nothing.
    package init() {}

    package func send(
        _ request: HTTPRequest, to endpoint: borrowing HTTPEndpoint, progress: HTTPProgress?
    ) throws(HTTPError) -> HTTPResponse {
        var curl = try CurlRequest(request, to: endpoint)
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
        case nil: return result.response
        case .known(let error): throw error
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
        var curl = try CurlRequest(HTTPRequest(.get, limit: 0, timeouts: timeouts), to: endpoint)
        curl.trust(certificate.pem)
        let result = curl.connect()
        if case .certificate? = result.failure {
            certificate.flaw = shown.failure(result.verification) ?? .other(result.message)
        }
        return certificate
    }

    /// What the server shows to somebody who trusts everybody; nothing is sent, no login either.
    private func shownCertificate(
        of endpoint: borrowing HTTPEndpoint, _ timeouts: HTTPTimeouts
    ) throws(HTTPError) -> ShownCertificate? {
        let curl = try CurlRequest(HTTPRequest(.get, limit: 0, timeouts: timeouts), to: endpoint)
        return curl.inspect().first.map { ShownCertificate($0) }
    }
}
