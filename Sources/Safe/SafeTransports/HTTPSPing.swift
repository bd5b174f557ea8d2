package import HTTP
package import SafeWire
package import SecureMemory

/// A word to a monitoring service, by a GET whose answer does not matter.
package enum HTTPSPing {
    private static let timeouts = HTTPTimeouts(connect: .seconds(5), idle: .seconds(5), total: .seconds(10))

    /// Sends it once.
    /// - Parameter url: who knows it can speak in its owner's name.
    /// - Throws: `.libraryMissing`, `.unavailable`, `.untrusted`; `.unexpectedStatus` for an answer of 300 or more.
    ///   None of them holds the URL.
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
            // A body is not wanted, and cut off at once.
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
