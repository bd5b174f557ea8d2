package import HTTP
internal import SecureMemory
internal import ThreemaDirectory

/// Where a provisioning file is fetched: an https URL without login, query and fragment, that ends in `.oppf`.
package struct OnPremSource: Equatable, Sendable {
    package let url: String
    /// Where the apps look on a server of which only the address is known.
    private static let usualPath = "/prov/config.oppf"
    private static let ending = ".oppf"
    private static let maxBytes = 4096
    /// An app of the company asks so.
    private static let userAgent = "User-Agent: Threema"

    /// - Parameter url: as it is.
    /// - Returns: nil if it is no such URL.
    package init?(url: String) {
        guard url.utf8.count <= Self.maxBytes, url.hasSuffix(Self.ending), HTTPOrigin(plain: url) != nil else {
            return nil
        }
        self.url = url
    }

    /// - Parameter typed: an https URL; if it does not end in `.oppf`, the usual path is appended.
    /// - Returns: nil if it is no such URL.
    package init?(typed: String) {
        guard !typed.hasSuffix(Self.ending) else {
            self.init(url: typed)
            return
        }
        guard HTTPOrigin(plain: typed) != nil else { return nil }
        self.init(url: (typed.hasSuffix("/") ? String(typed.dropLast()) : typed) + Self.usualPath)
    }

    /// Fetches the file, once.
    /// - Parameters:
    ///   - login: of the license; nil for none.
    ///   - pins: of the server; empty for any key.
    /// - Throws: `OnPremFetchError`.
    package func fetch(
        _ login: borrowing Login?, pins: [PublicKeyPin] = [], by client: any HTTPClient, timeout: Duration
    ) throws(OnPremFetchError) -> [UInt8] {
        let endpoint = HTTPEndpoint(
            url: SecureBytes(copying: Array(url.utf8).span), login: Login.copy(of: login), pins: pins)
        let request = HTTPRequest(
            .get, headers: [Self.userAgent], limit: ProvisioningFile.maxCount,
            timeouts: HTTPTimeouts(total: timeout))
        let response: HTTPResponse
        do throws(HTTPError) {
            response = try client.send(request, to: endpoint, progress: nil)
        } catch {
            throw .http(error)
        }
        switch response.status {
        // One of the servers that there are refuses so.
        case 200 where response.body == Array("Unauthorized".utf8): throw .unauthorized
        case 200: return response.body
        case 401, 403: throw .unauthorized
        default: throw .status(response.status)
        }
    }
}

/// Why a provisioning file was not fetched.
package enum OnPremFetchError: Error, Equatable, Sendable {
    case http(HTTPError)
    /// Status 401 or 403.
    case unauthorized
    /// Another status than 200.
    case status(Int)
}
