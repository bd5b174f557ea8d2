package import HTTP
package import SafeWire
package import SecureMemory

/// Notifies a monitoring service by a GET.
package enum HTTPSPing {
    private static let timeouts = HTTPTimeouts(connect: .seconds(5), idle: .seconds(5), total: .seconds(10))

    /// Sends the GET once. The body of the answer is ignored.
    /// - Parameter url: a secret, because its holder can send notifications in its owner's name.
    /// - Throws: `.libraryMissing`, `.unavailable`, `.untrusted`; `.unexpectedStatus` for a status of 300 or more. The
    ///   errors do not contain the URL.
    package static func send(
        to url: consuming SecureBytes, userAgent: String, by client: any HTTPClient
    ) throws(SafeExchangeError) {
        let name = "it"
        let request = HTTPRequest(.get, headers: ["User-Agent: \(userAgent)"], limit: 0, timeouts: timeouts)
        let status: Int
        do throws(HTTPError) {
            status = try client.send(request, to: HTTPEndpoint(url: url), progress: nil).status
        } catch {
            switch error {
            // The body is not needed, so its limit is 0.
            case .bodyTooLong: return
            case .connection(let failure): throw .unavailable(name, .connection(failure))
            case .certificate(let failure): throw .untrusted(name, failure)
            case .libraryMissing(let package): throw .libraryMissing(package)
            case .libraryNeedsMemory: throw .libraryNeedsMemory
            case .badURL, .badAuthority, .pinMismatch: throw .unavailable(name, .connection(.brokenOff))
            }
        }
        guard (200...299).contains(status) else { throw .unexpectedStatus(name, status) }
    }
}
